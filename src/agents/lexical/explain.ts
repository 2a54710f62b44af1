// Says what a page has instead of a missing element: names like its label, or elements of its kind.
import type { Page } from '@playwright/test';
import { shorten } from '../../browser/driver/tree';
import { pathOf } from '../../browser/page-action';
import { within } from '../../browser/waiting';
import type { Target } from './clause';

const MAX_NAMES = 6;
const LOOK_MS = 3_000;
const NAMED = /^\s*- '?(\w+) "((?:\\.|[^"\\])*)"/;
const KINDS =
  'tab button link menuitem treeitem option checkbox radio switch textbox combobox searchbox spinbutton'.split(
    ' ',
  );

type Thing = { role: string; name: string };

/** `nothing called "Dependencies" on /detail/x; there are tabs "Readme", "Versions"` */
export async function whatIsThere(page: Page, target: Target): Promise<string> {
  const { label, kind = 'thing', place, names } = target;
  const sought = label ? `called "${label}"${names ? ' or the like' : ''}` : `that is a ${kind}`;
  const where = `${place ? ` beside "${place}"` : ''} on ${pathOf(page.url())}`;
  const snapshot = await within(page.ariaSnapshot({ timeout: LOOK_MS }), LOOK_MS);
  const things = (snapshot ?? '').split('\n').flatMap(line => {
    const [, role, name] = NAMED.exec(line) ?? [];
    return role && name && KINDS.includes(role) ? [{ role, name: name.replace(/\\(.)/g, '$1') }] : [];
  });
  const groups = near(things, target);
  return `nothing ${sought}${where}${groups.length ? `; there ${listed(groups)}` : ''}`;
}

/** Names that share a word with the label; else those of its kind; else all, the rarest kind first. */
function near(things: Thing[], { label, kind = '' }: Target): Thing[] {
  const words = label.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const alike = things.filter(({ name }) => words.some(word => name.toLowerCase().includes(word)));
  const same = things.filter(({ role }) => kind.replace(/\W/g, '').startsWith(role));
  const all = things.sort((one, other) => KINDS.indexOf(one.role) - KINDS.indexOf(other.role));
  return [alike, same, all].find(some => some.length) ?? [];
}

function listed(things: Thing[]): string {
  const some = things.slice(0, MAX_NAMES);
  const parts = [...new Set(some.map(({ role }) => role))].map(role => {
    const called = some.filter(thing => thing.role === role).map(({ name }) => `"${shorten(name, 60)}"`);
    const names = [...new Set(called)];
    return `${names.length > 1 ? `${role.replace(/x$/, 'xe')}s` : role} ${names.join(', ')}`;
  });
  return `${things.length > 1 ? 'are' : 'is'} ${parts.join(', ')}`;
}
