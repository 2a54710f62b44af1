// Describes the element at a point, or with the focus.
import type { Page } from '@playwright/test';
import { type Point, readAt } from '../durable-locator';
import { within } from '../waiting';
import { words } from './tree';

type Seen = ReturnType<typeof describe>;

const LIMIT_MS = 1_000;

/** Runs in the page. Role and name from the markup: enough to tell people what was clicked. */
function describe(element: Element) {
  const ROLES: Record<string, string> = {
    A: 'link',
    BUTTON: 'button',
    SELECT: 'combobox',
    TEXTAREA: 'textbox',
    SUMMARY: 'button',
    OPTION: 'option',
    IMG: 'img',
    IFRAME: 'iframe',
    checkbox: 'checkbox',
    radio: 'radio',
    button: 'button',
    submit: 'button',
    reset: 'button',
    image: 'button',
    file: 'button',
    range: 'slider',
    number: 'spinbutton',
    search: 'searchbox',
  };
  const acted = element.closest(
    'a[href],button,input,select,textarea,summary,label,option,[role],[onclick],[contenteditable]',
  );
  const target = (acted instanceof HTMLLabelElement && acted.control) || acted || element;
  const type = target instanceof HTMLInputElement ? target.type : undefined;
  const editable = target instanceof HTMLElement && target.isContentEditable;
  const plain = /^H[1-6]$/.test(target.tagName) ? 'heading' : editable ? 'textbox' : 'generic';
  const role =
    target.getAttribute('role') ?? ROLES[type ?? target.tagName] ?? (type === undefined ? plain : 'textbox');
  const rendered = (node: Element | undefined) => (node as HTMLElement | undefined)?.innerText;
  const field = target as HTMLInputElement;
  const names = [
    target.getAttribute('aria-label'),
    rendered(field.labels?.[0]),
    target.getAttribute('alt'),
    target.getAttribute('placeholder'),
    role === 'button' ? field.value : undefined,
    target.getAttribute('title'),
    target.tagName === 'SELECT' || editable ? undefined : rendered(target),
  ];
  const name = names.find(each => each?.trim()) ?? '';
  return {
    role,
    name: name.trim().replace(/^(.{119}).{2,}$/s, '$1…'),
    tag: target.tagName.toLowerCase(),
    inputType: type,
  };
}

/** The element at a point of the viewport, or with the focus, through frames and shadow roots; undefined if unknown. */
export async function elementAt(page: Page, point: Point | null): Promise<Seen | undefined> {
  return (await within(readAt(page, point, describe), LIMIT_MS))?.result;
}

/** The element that typing goes to, in any frame; undefined if nothing has the focus. */
export const focused = (page: Page): Promise<Seen | undefined> => elementAt(page, null);

export const wordsFor = (seen: Seen | undefined): string | undefined => seen && words(seen);
