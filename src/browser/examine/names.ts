// Controls without a name, fields without a label, several controls of one name: as axe-core names them. Runs in the page and
// is sent as text, with the functions of elements.ts and rules.ts.
import type * as elements from './elements';
import type * as rules from './rules';

declare const isShown: typeof elements.isShown;
declare const inViewport: typeof elements.inViewport;
declare const boxOf: typeof elements.boxOf;
declare const flat: typeof elements.flat;
declare const roleOf: typeof elements.roleOf;
declare const add: typeof rules.add;
declare const currentState: typeof rules.currentState;
declare const isWanted: typeof rules.isWanted;
declare const isDisabled: typeof elements.isDisabled;

interface Axe {
  configure(spec: unknown): void;
  run(context: unknown, options: unknown): Promise<{ violations: Violation[] }>;
  commons: { text: { accessibleTextVirtual(node: unknown): string } };
}
interface Violation {
  id: string;
  nodes: { element: Element }[];
}
declare const axe: Axe;

/** @param max controls at most: those that matter, and those in the viewport, first */
export async function findNames(max: number): Promise<void> {
  const state = currentState();
  const isFirst = (each: Element) => inViewport(boxOf(each)) || isWanted(state, each);
  const near = state.shown.filter(isFirst);
  const all = near.length < max ? [...new Set([...near, ...state.shown])] : near;
  const controls = all.slice(0, max);
  if (all.length > max || state.shown.length > max)
    state.incomplete.push(`the names of ${controls.length} of ${state.shown.length} controls were checked`);
  if (!controls.length) return;
  const names = new Map<Element, string>();
  // A rule of its own, since axe-core knows the page's names only while it runs.
  const evaluate = (element: Element, _: unknown, node: unknown) => {
    names.set(element, flat(axe.commons.text.accessibleTextVirtual(node), 100));
    return true;
  };
  axe.configure({
    checks: [{ id: 'taskproof-name', evaluate }],
    rules: [{ id: 'taskproof-name', selector: '*', any: ['taskproof-name'] }],
  });
  const unnamed = 'button-name link-name input-button-name input-image-alt aria-command-name summary-name';
  const unlabelled = 'label select-name aria-input-field-name aria-toggle-field-name';
  const values = ['taskproof-name', ...unnamed.split(' '), ...unlabelled.split(' ')];
  const options = { resultTypes: ['violations'], iframes: false, preload: false, selectors: false };
  const runOnly = { type: 'rule', values };
  const { violations } = await axe.run(controls, { ...options, elementRef: true, runOnly });
  const wanting = new Set(controls);
  for (const { id, nodes } of violations)
    for (const { element } of nodes) {
      if (!wanting.delete(element)) continue;
      const isLabel = unlabelled.split(' ').includes(id);
      const what = `${roleOf(element)} without a ${isLabel ? 'label' : 'name'}`;
      add(state, isLabel ? 'no_label' : 'no_name', element, what);
    }
  findSameNames(controls.map(each => [each, names.get(each) ?? '']));
}

/** Links to one place, and controls that stand each in a row, a card or a form of its own, can be told apart. */
export function findSameNames(named: [Element, string][]): void {
  const state = currentState();
  const groups = new Map<string, Element[]>();
  for (const [element, name] of named) {
    if (!name || isDisabled(element) || !isShown(element)) continue;
    const key = `${roleOf(element)} "${name}"`;
    groups.set(key, [...(groups.get(key) ?? []), element]);
  }
  const around =
    'li,tr,article,fieldset,form,dialog,section,nav,header,footer,[role]:not([role=presentation])';
  for (const [words, group] of groups) {
    if (group.length < 2) continue;
    const targets = group.map(each => (each as HTMLAnchorElement).href ?? '');
    if (targets[0] && new Set(targets).size === 1) continue;
    const places = group.map(each => each.parentElement?.closest(around) ?? null);
    if (new Set(places).size === group.length) continue;
    add(state, 'same_name', group[0]!, `${group.length} controls are called ${words}`, group);
  }
}
