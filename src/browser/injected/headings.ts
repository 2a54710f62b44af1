// What stands above a control: the header of its column, headings, the names of its groups.
import { once, roleOf, withAncestors } from './elements';

export const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]';

/** Lists of elements: each is made once for all controls. */
export type Lists = Map<unknown, Element[]>;

/** The texts of its column's header, the headings above it, its groups, and the option that it would choose. */
export function headingsOf(control: Element, lists: Lists): string[] {
  const path = withAncestors(control);
  const cell = path.find(each => each.matches('td,[role=cell],[role=gridcell]'));
  const table = path.find(each => each.matches('table,[role=table],[role=grid],[role=treegrid]'));
  const headers = table
    ? once(lists, table, () => [...table.querySelectorAll('th:not([scope=row]),[role=columnheader]')])
    : [];
  const column = cell && columnOf(cell);
  const header = headers.find(
    each => columnOf(each) === column && each.parentElement !== cell?.parentElement,
  );
  const groups = path.filter(each => each.matches('fieldset,[role=group],[role=radiogroup]'));
  const root = control.getRootNode() as Document | ShadowRoot;
  const active = control.getAttribute('aria-activedescendant');
  const selected = '[role=listbox] [role=option][aria-selected=true]';
  const isChoosing = roleOf(control) === 'combobox';
  const option = (active ? root.getElementById(active) : isChoosing && root.querySelector(selected)) || null;
  const named = [
    header,
    ...outlineOf(control, lists),
    ...groups.map(group => group.querySelector('legend')),
    option,
  ];
  const labels = groups.map(group => group.getAttribute('aria-label'));
  const texts = [...named.map(each => each?.textContent), ...labels];
  return texts.filter(text => text?.trim()) as string[];
}

/** The headings above it (in its dialog, if it is in one): of each rank the last one before it. */
function outlineOf(control: Element, lists: Lists): Element[] {
  const root = control.closest(DIALOGS) ?? (control.getRootNode() as Document | ShadowRoot);
  const headings = once(lists, root, () => [...root.querySelectorAll('h1,h2,h3,h4,h5,h6')]);
  const before = headings.filter(
    each => each.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const outline: Element[] = [];
  for (const heading of before.reverse())
    if (!outline[0] || heading.localName < outline[0].localName) outline.unshift(heading);
  return outline.filter(each => each.checkVisibility());
}

const columnOf = (cell: Element) => {
  const cells = [...(cell.parentElement?.children ?? [])] as Partial<HTMLTableCellElement>[];
  const before = cells.slice(0, cells.indexOf(cell));
  return before.reduce((sum, { colSpan = 1 }) => sum + colSpan, 0);
};
