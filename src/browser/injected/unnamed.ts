// Finds controls without a name and fields without a label with axe-core, which has to run in the page before.
import { boxOf, inViewport, isOutside, roleOf } from './elements';
import { add, currentState } from './look';

declare const axe: {
  run(
    context: Element[],
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { element: Element }[] }[] }>;
};

/**
 * Notes the controls that axe-core has to check, since they don't plainly show their names, and returns their number.
 *
 * @param max the most controls; those in the viewport come first
 */
export function countDoubtful(max: number): number {
  const state = currentState();
  const doubtful = state.shown.filter(each => !hasPlainName(each) && !isBeforePage(each));
  const isNear = (each: Element) => inViewport(boxOf(each));
  state.doubtful = [...new Set([...doubtful.filter(isNear), ...doubtful])].slice(0, max);
  if (doubtful.length > max)
    state.incomplete.push(`the names of ${max} of ${doubtful.length} controls were checked`);
  return state.doubtful.length;
}

/** Whether it is beyond the upper or left edge of the page: scripts measure texts there. */
function isBeforePage(element: Element): boolean {
  const { x, y, width, height } = boxOf(element);
  return (x + width + scrollX <= 0 || y + height + scrollY <= 0) && isOutside(element);
}

/** Whether it has a visible text that screen readers read, too, or an attribute with its name. */
function hasPlainName(element: Element): boolean {
  if (element.hasAttribute('aria-labelledby') || element.querySelector('[aria-hidden]')) return false;
  const says = (name: string) => (element.getAttribute(name) ?? '').trim() !== '';
  if (says('aria-label') || says('title') || says('placeholder')) return true;
  const isField = element.matches('input,select,textarea,[role=textbox],[role=combobox],[contenteditable]');
  const texts = isField ? [...((element as HTMLInputElement).labels ?? [])] : [element];
  if (element.matches('input[type=submit],input[type=reset],input[type=button]')) return says('value');
  return texts.some(each => !each.querySelector('[aria-hidden]') && (each as HTMLElement).innerText?.trim());
}

export async function findNames(): Promise<void> {
  const state = currentState();
  const unnamed = 'button-name link-name input-button-name input-image-alt aria-command-name summary-name';
  const unlabelled = 'label select-name aria-input-field-name aria-toggle-field-name'.split(' ');
  const runOnly = { type: 'rule', values: [...unnamed.split(' '), ...unlabelled] };
  const options = { resultTypes: ['violations'], iframes: false, preload: false, selectors: false };
  const { violations } = await axe.run(state.doubtful, { ...options, elementRef: true, runOnly });
  const left = new Set(state.doubtful);
  for (const { id, nodes } of violations)
    for (const { element } of nodes) {
      // Two rules may find one control, and a rule may find an element inside a control.
      if (!left.delete(element)) continue;
      const isLabel = unlabelled.includes(id);
      const what = `${roleOf(element)} without a ${isLabel ? 'label' : 'name'}`;
      add(state, isLabel ? 'no_label' : 'no_name', element, what);
    }
}
