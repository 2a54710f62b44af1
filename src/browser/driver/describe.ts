// Describes the element at a point, or with the focus.
import type { Page } from '@playwright/test';
import { readAt } from '../durable-locator';
import * as elements from '../elements';
import { within } from '../waiting';
import type { Point } from './tree';

declare const { wordsFor }: typeof elements;

const LIMIT_MS = 1_000;

/** Runs in the page, with the functions of elements.ts. */
function describe(element: Element) {
  const acted = element.closest(
    'a[href],button,input,select,textarea,summary,label,option,[role],[onclick],[contenteditable]',
  );
  const target = (acted instanceof HTMLLabelElement && acted.control) || acted || element;
  const inputType = target instanceof HTMLInputElement ? target.type : undefined;
  return { words: wordsFor(target), tag: target.localName, inputType };
}

const SOURCE = [...Object.values(elements), describe].join('\n');
const describeAlone = new Function('element', `${SOURCE}\nreturn describe(element)`) as typeof describe;

/** The element at a point of the viewport, or with the focus, through frames and shadow roots; undefined if unknown. */
export async function elementAt(
  page: Page,
  point: Point | null,
): Promise<ReturnType<typeof describe> | undefined> {
  return (await within(readAt(page, point, describeAlone), LIMIT_MS))?.result;
}
