// Matches CSS as Playwright does: combinators cross the borders of shadow roots.
import { parentOf } from './elements';

interface Step {
  /** A compound selector. */
  css: string;
  /** Whether the step before it has to match the parent. */
  isChild: boolean;
}

export function matchingAcross(elements: readonly Element[], selector: string): Element[] {
  const sheet = new CSSStyleSheet();
  sheet.insertRule(`${selector} {}`);
  const alternatives = alternativesOf((sheet.cssRules[0] as CSSStyleRule).selectorText);
  return elements.filter(each => alternatives.some(steps => fits(each, steps)));
}

/** @param written a selector as the browser writes it: with one space around combinators and after commas. @returns last steps first */
function alternativesOf(written: string): Step[][] {
  const tokens = /\\[\da-f]{1,6} ?|\\.|"(?:\\.|[^"\\])*"| [>+~] |, | |[^\\" ,]/gis;
  const alternatives: Step[][] = [[{ css: '', isChild: false }]];
  let depth = 0;
  for (const [token] of written.matchAll(tokens)) {
    if (/^[([]$/.test(token)) depth++;
    if (/^[)\]]$/.test(token)) depth--;
    const steps = alternatives.at(-1)!;
    if (!depth && token === ', ') alternatives.push([{ css: '', isChild: false }]);
    else if (!depth && /^ (?:> )?$/.test(token)) steps.unshift({ css: '', isChild: token === ' > ' });
    else steps[0]!.css += token;
  }
  return alternatives;
}

function fits(element: Element, [step, ...before]: readonly Step[]): boolean {
  if (!element.matches(step!.css)) return false;
  if (!before.length) return true;
  for (let each = parentOf(element); each; each = step!.isChild ? null : parentOf(each))
    if (fits(each, before)) return true;
  return false;
}
