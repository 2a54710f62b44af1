// Finds what a clause names, by Playwright's own locators. Exact names first, then names that differ in case and spacing,
// then names that hold the label; in an open dialog first, then on the page, then in its frames. Looking is done by
// `normalize`, which shows in no report.
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { pathOf } from '../../browser/page-action';
import { within } from '../../browser/waiting';
import type { Target } from './clause';
import { whatIsThere } from './explain';

type Scope = Page | FrameLocator | Locator;
/** A label to look for: a string is the whole name, in its case. */
export type Name = string | RegExp;
/** The locators of a kind of thing by its name, likeliest first. */
export type Builder = (scope: Scope, name: Name) => Locator[];

/** A thing could not be found, or not be told from another: the reason to give up. */
export class Stuck extends Error {
  override name = 'Stuck';
}

/** The longest wait for one look: a page that is busy answers late. */
const LOOK_MS = 3_000;
/** Time for the exact name to appear before a name that only holds the label is taken. */
const GRACE_MS = 600;
const POLL_MS = 100;
const MAX_FRAMES = 8;
const CONTAINERS =
  'tr,li,article,section,fieldset,form,details,dialog,nav,aside,[role=row],[role=listitem],[role=article],[role=region],[role=group],[role=radiogroup],[role=dialog],[role=tabpanel],[role=treeitem],[role=option]';
const NOT_TYPED = ['button', 'submit', 'reset', 'image', 'hidden', 'checkbox', 'radio', 'file'];
const FIELD = [
  `input${NOT_TYPED.map(type => `:not([type=${type}])`).join('')}`,
  'textarea,select,[contenteditable=true],[contenteditable=""],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider],[role=listbox]',
].join(',');
type Role = Parameters<Page['getByRole']>[0];
const CLICKABLE =
  'button link tab menuitem menuitemcheckbox menuitemradio option treeitem checkbox radio switch combobox'.split(
    ' ',
  ) as Role[];
const TYPED = 'textbox searchbox combobox spinbutton slider listbox'.split(' ') as Role[];
const CHECKED = 'checkbox radio switch menuitemcheckbox menuitemradio'.split(' ') as Role[];
const ROLES_OF_KIND: [kind: RegExp, roles: Role[]][] = [
  [/^button/, ['button']],
  [/^link/, ['link']],
  [/^tab/, ['tab']],
  [/^menu/, ['menuitem', 'menuitemcheckbox', 'menuitemradio', 'button']],
  [/^option/, ['option', 'radio']],
  [/^check/, ['checkbox']],
  [/^radio/, ['radio']],
  [/^switch|^toggle/, ['switch']],
  [/^tree|^node|^file|^folder/, ['treeitem']],
  [/^icon|^image|^picture/, ['img']],
];

export const any = (first: Locator, ...others: Locator[]): Locator =>
  others.reduce((all, other) => all.or(other), first);
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const spaced = (label: string) =>
  label
    .trim()
    .split(/[\s_-]+/)
    .map(escaped)
    .join('[\\s_-]*');
const whole = (label: string) => new RegExp(`^[\\s:*+•›»]*${spaced(label)}[\\s:*.…!?›»▾▼]*$`, 'i');
const holding = (label: string) => new RegExp(`(?<![\\p{L}\\p{N}])${spaced(label)}(?![\\p{L}\\p{N}])`, 'iu');
/** The text of an element as a whole. */
const asText = (name: Name) =>
  typeof name === 'string'
    ? new RegExp(`^\\s*${name.trim().split(/\s+/).map(escaped).join('\\s+')}\\s*$`)
    : name;
const isPart = (name: Name) => name instanceof RegExp && name.source.startsWith('(?<!');

export function byRoles(scope: Scope, roles: readonly Role[], name: Name): Locator {
  const [first, ...others] = roles.map(role =>
    scope.getByRole(role, name === '' ? {} : { name, exact: true }),
  );
  return any(first!, ...others);
}

/** What is clicked: by role, then by a title or a text that is the label as a whole. */
export const clickables =
  (kind?: string): Builder =>
  (scope, name) => {
    const roles = ROLES_OF_KIND.find(([pattern]) => kind && pattern.test(kind))?.[1];
    if (name === '') return roles ? [byRoles(scope, roles, name)] : [];
    const summary = scope.locator('summary').filter({ hasText: asText(name) });
    const loose = isPart(name)
      ? []
      : [
          scope.getByTitle(name, { exact: true }),
          scope.getByText(asText(name)),
          scope.getByAltText(name, { exact: true }),
        ];
    return [
      ...(roles ? [byRoles(scope, roles, name)] : []),
      any(byRoles(scope, CLICKABLE, name), summary),
      ...loose,
    ];
  };

/** What takes a text or a choice. */
export const fields: Builder = (scope, name) => {
  const field = scope.locator(FIELD);
  if (name === '') return [field];
  const by = [scope.getByLabel(name, { exact: true }).and(field), byRoles(scope, TYPED, name)];
  const beside = scope
    .getByText(asText(name))
    .locator(
      'xpath=(following-sibling::*[1]|../following-sibling::*[1])/descendant-or-self::*[self::input or self::textarea or self::select][1]',
    )
    .and(field);
  const attribute =
    typeof name === 'string'
      ? [
          scope
            .locator(['name', 'id', 'type'].map(key => `[${key}=${JSON.stringify(name)}]`).join())
            .and(field),
        ]
      : [];
  return [
    any(by[0]!, by[1]!),
    scope.getByPlaceholder(name, { exact: true }),
    ...attribute,
    ...(isPart(name) ? [] : [beside]),
  ];
};

export const checks: Builder = (scope, name) => {
  const box = scope.locator('input[type=checkbox],input[type=radio]');
  return [any(byRoles(scope, CHECKED, name), scope.getByLabel(name, { exact: true }).and(box))];
};

/** Native lists that have such an option. */
export const listsWith: Builder = (scope, name) => [
  scope.locator('select').filter({
    has: scopeless(scope)
      .locator('option')
      .filter({ hasText: asText(name) }),
  }),
];

export const fileInputs: Builder = (scope, name) => {
  const input = scope.locator('input[type=file]');
  return [scope.getByLabel(name, { exact: true }).and(input), ...clickables()(scope, name)];
};

export const texts: Builder = (scope, name) => [
  any(
    byRoles(scope, CLICKABLE, name),
    scope.getByText(isPart(name) || typeof name !== 'string' ? name : asText(name)),
  ),
  any(
    scope.getByLabel(name, { exact: true }),
    scope.getByAltText(name, { exact: true }),
    scope.getByTitle(name, { exact: true }),
  ),
];

/** An inner locator is matched inside of each outer one, and must begin at the same page. */
function scopeless(scope: Scope): Page {
  if ('goto' in scope) return scope;
  return 'page' in scope ? scope.page() : scope.owner().page();
}

/** Whether there is such a thing now. Shows in no report. */
export async function exists(locator: Locator): Promise<boolean> {
  const found = await within(
    locator.normalize().then(() => true),
    LOOK_MS,
  );
  return found === true;
}

const visible = (locator: Locator) => locator.filter({ visible: true });

function dialogOf(scope: Page | FrameLocator): Locator {
  return visible(scope.locator('dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]')).last();
}

/** The open dialog, if there is one. */
export async function openDialog(page: Page): Promise<Locator | undefined> {
  const dialog = dialogOf(page);
  return (await exists(dialog)) ? dialog : undefined;
}

async function scopesOf(page: Page): Promise<Scope[]> {
  const dialog = await openDialog(page);
  const frames: Scope[] = [];
  for (let at = 0; at < Math.min(page.frames().length - 1, MAX_FRAMES); at++)
    frames.push(page.locator('iframe,frame').nth(at).contentFrame());
  return [...(dialog ? [dialog] : []), page, ...frames];
}

export interface Looking {
  page: Page;
  target: Target;
  /** One for each kind of thing that will do, likeliest first. */
  builders: Builder[];
  timeoutMs: number;
  signal: AbortSignal;
  /** Things that are not shown will do: a styled checkbox hides its input. */
  hidden?: boolean;
  /** The first of several will do: to see it, not to act on it. */
  several?: boolean;
}

export interface Found {
  locator: Locator;
  /** Which of the builders found it. */
  by: number;
}

/**
 * Waits for what a clause names.
 *
 * @throws Stuck if there is none in time, or several.
 */
export async function find(looking: Looking): Promise<Found> {
  const { page, target, timeoutMs, signal } = looking;
  const began = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const found = await look(looking, performance.now() - began >= Math.min(GRACE_MS, timeoutMs / 2));
    if (found) return found;
    if (performance.now() - began > timeoutMs) throw new Stuck(await whatIsThere(page, target));
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
}

export function namesOf({ label, names }: Target, takesPart: boolean): Name[] {
  if (names) return [names];
  if (/^[x×]$/i.test(label)) return [label, /^\s*(?:[x×✕✖]|close)\s*$/i];
  return label ? [label, whole(label), ...(takesPart ? [holding(label)] : [])] : [''];
}

/** A thing, and how it is found inside of another one. */
interface Candidate {
  locator: Locator;
  inner: Locator;
}

async function look(looking: Looking, takesPart: boolean): Promise<Found | undefined> {
  const { page, target, builders } = looking;
  const scopes = await scopesOf(page);
  for (const name of namesOf(target, takesPart))
    for (const scope of scopes)
      for (const [by, build] of builders.entries()) {
        const inner = build(page, name);
        const candidates = target.place
          ? await placed(page, scope, inner, target.place, build, name)
          : build(scope, name).map((locator, at) => ({ locator, inner: inner[at]! }));
        for (const candidate of candidates) {
          const locator = await single(looking, candidate);
          if (locator) return { locator, by };
        }
      }
  return undefined;
}

/** In the smallest row, card or section that holds both the place's label and the thing. */
async function placed(
  page: Page,
  scope: Scope,
  inner: Locator[],
  place: string,
  build: Builder,
  name: Name,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  const label = holding(place);
  for (const kinds of [CONTAINERS, `${CONTAINERS},div`])
    for (const [at, thing] of inner.entries()) {
      const holders = (within: Scope) => {
        const containers = within.locator(`:is(${kinds})`);
        const labelled = within.locator(`[aria-label=${JSON.stringify(place)} i]`);
        // The text of a row runs together: "AliceEdit".
        const cells = containers.filter({ has: page.getByText(label) });
        return any(cells, containers.filter({ hasText: label }), containers.and(labelled)).filter({
          has: thing,
        });
      };
      const smallest = holders(scope).filter({ hasNot: holders(page) });
      if (await exists(smallest.first())) found.push({ locator: build(smallest, name)[at]!, inner: thing });
    }
  return found;
}

/** The one thing that a locator finds; undefined if there is none. */
async function single(
  { page, target, hidden, several }: Looking,
  { locator, inner }: Candidate,
): Promise<Locator | undefined> {
  const shown = hidden ? locator : visible(locator);
  if (!(await exists(shown.first()))) return undefined;
  if (target.nth !== undefined) {
    const wanted = shown.nth(target.nth);
    return (await exists(wanted)) ? wanted : undefined;
  }
  if (several) return shown.first();
  if (!(await exists(shown.nth(1)))) return shown;
  // One inside of another is the same to a user.
  const innermost = shown.filter({ hasNot: inner });
  if ((await exists(innermost.first())) && !(await exists(innermost.nth(1)))) return innermost;
  if (await sameLink(page, shown)) return shown.first();
  const count = (await exists(shown.nth(2))) ? 'several things' : 'two things';
  const label = target.label || target.kind;
  throw new Stuck(
    `${count} ${target.label ? `are called "${label}"` : 'fit'} on ${pathOf(page.url())}: say which, as in \`the 2nd "${label}"\` or \`"${label}" in the row "..."\``,
  );
}

async function sameLink(page: Page, links: Locator): Promise<boolean> {
  const href = await links
    .first()
    .getAttribute('href', { timeout: LOOK_MS })
    .catch(() => null);
  return (
    href !== null && !(await exists(links.and(page.locator(`:not([href=${JSON.stringify(href)}])`)).first()))
  );
}
