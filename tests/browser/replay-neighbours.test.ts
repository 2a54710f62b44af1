// A replay acts on the control of its recording, and on no other that the page has in its place.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElementHandle, Locator, Page } from '@playwright/test';
import { describe, expect, it } from 'vitest';
import { type Agent, AgentSetupError, type SessionTask } from '../../src/agents/agent';
import { findControl } from '../../src/agents/replay/find';
import { Player, playRecording } from '../../src/agents/replay/player';
import type { Recording } from '../../src/data/recording';
import { goalWords } from '../../src/text/goal-words';
import { agentTask } from '../support/agent-task';
import { harness, html } from '../support/claude-harness';
import { madeAction, madeRecording } from '../support/records';
import { tempFolder } from '../support/temp-folder';

const pages = harness({ '/': html('') });
const DO = `<script>window.done = []; const act = text => { done.push(text); document.body.dataset.done = text }</script>`;

const button = (name: string, done: string, more = '') =>
  `<button ${more} onclick="act('${done}')">${name}</button>`;
type Row = (name: string, index: number, count: number) => string;
const list = (row: Row) => (names: readonly string[]) =>
  names.map((name, at) => row(name, at, names.length)).join('');
const actions = (name: string) => `<div>${button('Edit', `edit ${name}`)}${button('Delete', name)}</div>`;
const NAMES = ['Bob Brandt', 'Alice Ahmed', 'Carl Cohen'];
const LONG =
  'Invoice of the monthly subscription for the professional plan, with support and all taxes, to be paid by transfer within 30 days.';

const deleteNth = (index: number) => (page: Page) => page.getByRole('button', { name: 'Delete' }).nth(index);

interface Kind {
  page(names: readonly string[]): string;
  target?: (page: Page) => Locator;
  goal?: string;
  names?: readonly string[];
}

const kinds: { [name: string]: Kind } = {
  'cards with two buttons': { page: list(name => `<div><b>${name}</b>${actions(name)}</div>`) },
  'rows of a table': {
    page: names => `<table>${list(name => `<tr><td>${name}<td>${actions(name)}</tr>`)(names)}</table>`,
  },
  'rows of custom elements': {
    page: names =>
      `${list(name => `<user-row name="${name}"></user-row>`)(names)}<script>customElements.get('user-row') ?? customElements.define('user-row', class extends HTMLElement { connectedCallback() {
        this.attachShadow({ mode: 'open' }).innerHTML = \`<b>\${this.getAttribute('name')}</b><span><button>Edit</button><button onclick="act('\${this.getAttribute('name')}')">Delete</button></span>\` } })</script>`,
  },
  'a grid without rows': {
    page: names => `<div>${list(name => `<b>${name}</b>${button('Delete', name)}`)(names)}</div>`,
  },
  'test ids with an index': {
    page: list((name, at) => `<div>${name}${button('Delete', name, `data-testid="delete-${at}"`)}</div>`),
    target: page => page.getByTestId('delete-1'),
  },
  'icons with an id': {
    page: list(
      (name, at) =>
        `<div>${name}<i><button id="at-${at}" onclick="act('${name}')"><svg width="9"></svg></button></i></div>`,
    ),
    target: page => page.locator('#at-1'),
  },
  'names in fields': { page: list(name => `<div><input value="${name}">${actions(name)}</div>`) },
  'a long row': { page: list(name => `<div><p>${LONG} Customer</p><p>${name}</p>${actions(name)}</div>`) },
  'one row': {
    page: names =>
      `<div><h3>${names[names.length - 2]}</h3>${button('Delete', names[names.length - 2]!)}</div>`,
    target: deleteNth(0),
  },
  'short names': {
    page: list(name => `<div>${name}${actions(name)}</div>`),
    goal: 'Delete Bo.',
    names: ['Al', 'Bo', 'Cy'],
  },
  'names without blanks': {
    page: list(name => `<div>${name}${actions(name)}</div>`),
    goal: '删除李明。',
    names: ['王芳', '李明', '张伟'],
  },
};

/** Long enough for a few looks at a page that has lost the control: a replay looks for it until its time is over. */
const SOON = { timeoutMs: 1_500 };

const show = async (body: string, goal: string) => {
  const page = await pages.openPage('/');
  await page.setContent(DO + body);
  return agentTask(page, { goal });
};

/** Records one action on a page. @returns what plays it on another, and returns what was done there */
async function record(before: string, goal: string, act: (page: Page, note: Note) => Promise<void>) {
  const first = await show(before, goal);
  await act(first.page, async (draft, target, to) => {
    await first.recorder.record(first.page, draft as never, target, to);
    await first.recorder.answered();
  });
  const recorded = await first.recorder.done();
  const turns = [{ title: 'act', actions: [{ title: 'act', recorded: recorded! }] }];
  return async (after: string, { goalNow = goal, specHash = 'then', timeoutMs = 5_000 } = {}) => {
    const task = await show(after, goalNow);
    await new Player(task, timeoutMs).play({ turns, specHash } as unknown as Recording);
    return task.page.evaluate('done') as Promise<string[]>;
  };
}

type Note = (draft: { do: string; key?: string }, target?: Locator, to?: Locator) => Promise<void>;

const click = (target: (page: Page) => Locator) => async (page: Page, note: Note) => {
  await note({ do: 'click' }, target(page));
  await target(page).click();
};

describe.each(Object.entries(kinds))('%s', (_, { page, target = deleteNth(1), ...kind }) => {
  const { names = NAMES, goal = 'Delete the user Alice Ahmed.' } = kind;
  let recording: ReturnType<typeof record> | undefined;
  const playOn = async (rows: readonly string[], given = {}) => {
    recording ??= record(page(names), goal, click(target));
    return (await recording)(page(rows), given);
  };

  it('its row is gone', async () => {
    await expect(
      playOn(
        names.filter(name => name !== names[1]),
        SOON,
      ),
    ).rejects.toThrow(new RegExp(`^action 1: .* (?:is no longer beside ".*${names[1]}"|not found)`));
  });

  it('another row stands before it', async () => {
    expect(await playOn(['Zoe', ...names])).toEqual([names[1]]);
  });
});

const price = (now: string) => `<h2>Desk lamp</h2><p>${now}</p>${button('Buy now', now)}`;
const dialog = (question: string) =>
  `<h1>Alice Ahmed</h1><dialog open><h3>${question}</h3>${button('Yes', question)}</dialog>`;
const basket = `<h1>Basket</h1>${['Fern', 'Ivy'].map(name => `<div><h3>${name}</h3><button aria-label="Remove" onclick="act('${name}')">x</button></div>`).join('')}`;
const nameField = (value: string) =>
  `<label>Name <input value="${value}" oninput="if (!done.length) act('named')"></label>`;
const profile = (name: string) =>
  `<nav>${NAMES.map(each => `<a>${each}</a>`).join('')}</nav><h1>${name}</h1>${button('Delete', name)}`;
const photo = (name: string) =>
  ['a', 'b'].map(() => `<li>${name}<img hidden alt="Alice Ahmed">${button('Delete', name)}</li>`).join('');
const columns = (...names: string[]) =>
  `<table><tr><th>Item<th>${names.join('<th>')}</tr><tr><td>Fern${names.map(name => `<td>${button('Set', name)}`).join('')}</tr></table>`;
const team = (members: { [name: string]: string[] }) =>
  Object.entries(members)
    .map(
      ([name, all]) =>
        `<section><h2>${name}</h2><ul>${all.map(each => `<li>${each}${button('Remove', each)}`).join('')}</ul></section>`,
    )
    .join('');
const role = (name: string, now: string) =>
  `<div>${name}<select>${['Admin', 'Guest'].map(each => `<option ${each === now ? 'selected' : ''}>${each}`).join('')}</select>${button('Save', name)}</div>`;
const month = (now: string) =>
  `<div><b>${now}</b><div>${[13, 14].map(day => button(`${day}`, `${day} ${now}`)).join('')}</div></div>`;
const toggle = (isOn: boolean) =>
  `<button role="switch" aria-checked="${isOn}" onclick="act('News')">News</button>`;
const option = (name: string) =>
  `<input role="combobox" aria-label="Colour" aria-activedescendant="one" onkeydown="act('${name}')"><div role="listbox"><div role="option" id="one">${name}</div></div>`;
const board = (...names: string[]) =>
  `<div draggable="true" ondragstart="event.dataTransfer.setData('text', 'x')">Card</div><table><tr><th>${names.join('<th>')}</tr><tr>${names.map(name => `<td style="width:90px;height:60px" ondragover="event.preventDefault()" ondrop="act('${name}')"></td>`).join('')}</tr></table>`;
const users = (tags: readonly [string, string], isDeleted: boolean) =>
  list(
    (name, at) =>
      `<${tags[0]}${tags[0] === 'span' ? '' : ` class="${tags[0] === 'div' ? 'user ' : ''}zebra-${at % 2}"`}><${tags[1]}>${name}</${tags[1]}><${tags[1]}>${isDeleted && name === 'Alice Ahmed' ? '<i>deleted</i>' : button('Delete', name)}</${tags[1]}></${tags[0]}>`,
  )(NAMES.slice(0, 2));
const BUY = click(page => page.getByRole('button', { name: 'Buy now' }));

it.each<[string, before: string, after: string, goal: string, act: typeof BUY, RegExp]>([
  ['a price', price('$40'), price('$90'), 'Buy the lamp for $40.', BUY, /beside "\$40"/],
  [
    'a question',
    dialog('Remove Alice Ahmed?'),
    dialog('Remove all 300 users?'),
    'Remove the user Alice Ahmed.',
    click(page => page.getByRole('button', { name: 'Yes' })),
    /button "Yes" is no longer beside "Remove Alice Ahmed\?"/,
  ],
  [
    'a heading whose name stands in a list, too',
    profile('Alice Ahmed'),
    profile('Bob Brandt'),
    'Delete the user Alice Ahmed.',
    click(page => page.getByRole('button')),
    /button "Delete" is no longer beside "Alice Ahmed"/,
  ],
  [
    'a name that only a hidden picture still has',
    photo('Alice Ahmed'),
    photo('Bob Brandt'),
    'Delete Alice Ahmed.',
    click(page => page.getByRole('button').first()),
    /button "Delete" is no longer beside "Alice Ahmed"/,
  ],
  [
    'a control that is there twice by now',
    basket,
    `<div>${basket}${basket}</div>`,
    'Remove the Fern from the basket.',
    click(page => page.locator('div').filter({ hasText: 'Fern' }).getByLabel('Remove')),
    /button "Remove" beside "Fern" now matches \d elements instead of one/,
  ],
  ...(
    [
      ['tr', 'td'],
      ['span', 'i'],
      ['div', 'span'],
    ] as const
  ).map(
    tags =>
      [
        `a row (${tags[0]}) whose button is gone, with one left in another,`,
        ...[false, true].map(isDeleted =>
          tags[0] === 'tr' ? `<table>${users(tags, isDeleted)}</table>` : users(tags, isDeleted),
        ),
        'Delete "Alice Ahmed".',
        click(page => page.locator(tags[0]).filter({ hasText: 'Alice Ahmed' }).getByRole('button')),
        /button "Delete" .*"Alice Ahmed"/,
      ] as [string, string, string, string, typeof BUY, RegExp],
  ),
  [
    'a team',
    team({ Design: ['Bob', 'Carl'], Sales: ['Dan'] }),
    team({ Design: ['Carl'], Sales: ['Bob', 'Dan'] }),
    'Remove Bob from the team Design.',
    click(page => page.getByRole('button', { name: 'Remove' }).first()),
    /is no longer beside "Design"/,
  ],
  [
    'a longer name',
    list(name => `<li>${name}${button('Buy', name)}</li>`)(['iPhone 15', 'Nokia 3']),
    list(name => `<li>${name}${button('Buy', name)}</li>`)(['iPhone 15 Pro', 'Nokia 3']),
    'Buy the iPhone 15.',
    click(page => page.getByRole('button', { name: 'Buy' }).first()),
    /beside "iPhone 15"/,
  ],
  [
    'the target of a drag',
    board('To do', 'Done'),
    board('To do', 'Done')
      .replace('ondrop', 'hidden ondrop')
      .replaceAll('<td', '<p')
      .replaceAll('</td', '</p'),
    'Move the card to "Done".',
    async (page, note) => {
      const [from, to] = [page.getByText('Card'), page.getByRole('cell').nth(1)];
      await note({ do: 'drag' }, from, to);
      await from.dragTo(to);
    },
    /the target of the drag, .*, is not found/,
  ],
  [
    'what is chosen in a list of its row',
    list(name => role(name, 'Admin'))(NAMES),
    list(name => role(name, 'Guest'))(NAMES),
    'Save Alice Ahmed as an Admin.',
    click(page => page.getByRole('button').nth(1)),
    /beside "Admin"/,
  ],
  [
    'a field that was empty',
    nameField(''),
    nameField('Old'),
    'Set the name to "Jo".',
    async (page, note) => {
      const draft = { do: 'type', text: 'Jo' };
      await note(draft, page.getByLabel('Name'));
      await page.getByLabel('Name').pressSequentially('Jo');
    },
    /"Name" holds a text, and was empty in the recording/,
  ],
  [
    'a month',
    month('March 2027'),
    month('April 2027'),
    'Book the 14th of March 2027.',
    click(page => page.getByRole('button', { name: '14' })),
    /button "14" is no longer beside "March 2027"/,
  ],
  [
    'a switch',
    toggle(false),
    toggle(true),
    'Subscribe to the news.',
    click(page => page.getByRole('switch')),
    /switch "News" is on, and was off in the recording/,
  ],
  [
    'an option for a key',
    option('Red'),
    option('Blue'),
    'Choose the colour "Red".',
    async (page, note) => {
      await page.getByRole('combobox').focus();
      await note({ do: 'press', key: 'Enter' }, page.getByRole('combobox'));
      await page.keyboard.press('Enter');
    },
    /beside "Red"/,
  ],
  [
    'a focus',
    button('Save', 'saved', 'autofocus'),
    '<p>Saved</p>',
    'Save it.',
    async (page, note) => {
      await page.getByRole('button').focus();
      await note({ do: 'press', key: 'Enter' });
      await page.keyboard.press('Enter');
    },
    /^action 1: button "Save" does not have the focus on/,
  ],
])('%s that has changed is named', async (_, before, after, goal, act, message) => {
  const playOn = await record(before, goal, act);
  await expect(playOn(before)).resolves.toHaveLength(1);
  await expect(playOn(after, SOON)).rejects.toThrow(message);
});

it.each<[string, before: string, after: string, goal: string, act: typeof BUY, string]>([
  [
    'a control in its column',
    columns('Price', 'Tax'),
    columns('Tax', 'Price'),
    'Set the tax of Fern.',
    click(page => page.getByRole('button', { name: 'Set' }).nth(1)),
    'Tax',
  ],
  [
    'where something is dragged to',
    board('To do', 'Doing', 'Done'),
    board('Done', 'Doing', 'To do'),
    'Move the card to "Done".',
    async (page, note) => {
      const [from, to] = [page.getByText('Card'), page.getByRole('cell').nth(2)];
      await note({ do: 'drag' }, from, to);
      await from.dragTo(to);
    },
    'Done',
  ],
  [
    'a control in its row, whose text says more',
    `${list(name => `<div><b>${name}</b><i>5 minutes ago</i>${button('Delete', name)}</div>`)(NAMES)}`,
    `${list(name => `<div><b>${name}</b><i>2 hours ago</i>${button('Delete', name)}</div>`)(NAMES)}`,
    'Delete Alice Ahmed.',
    click(page => page.locator('div').filter({ hasText: 'Alice Ahmed' }).getByRole('button')),
    'Alice Ahmed',
  ],
  [
    'a control that a box around all made one of several',
    basket,
    `<div>${basket}</div>`,
    'Remove the Fern from the basket.',
    click(page => page.locator('div').filter({ hasText: 'Fern' }).getByLabel('Remove')),
    'Fern',
  ],
  [
    'a control that another of its name leaves in a moment',
    button('Publish', 'published'),
    `<div>${button('Publish', 'old')}</div><main>${button('Publish', 'published')}</main>
      <script>setTimeout(() => document.querySelector('div').remove(), 300)</script>`,
    'Publish the post.',
    click(page => page.getByRole('button')),
    'published',
  ],
  [
    'what had the focus',
    list(name => `<b>${name}</b>${button('Delete', name)}`)(NAMES),
    list(name => `<b>${name}</b>${button('Delete', name)}`)(['Alice Ahmed', 'Bob Brandt']),
    'Delete Alice Ahmed.',
    async (page, note) => {
      for (const key of ['Tab', 'Tab', 'Enter']) {
        await note({ do: 'press', key });
        await page.keyboard.press(key);
      }
    },
    'Alice Ahmed',
  ],
  [
    'a control with another number',
    button('Inbox (3)', 'inbox'),
    button('Inbox (12)', 'inbox'),
    'Open the inbox.',
    click(page => page.getByRole('button')),
    'inbox',
  ],
])('%s is found where it stands by now', async (_, before, after, goal, act, done) => {
  expect(await (await record(before, goal, act))(after)).toEqual([done]);
});

const card = (name: string, more: string) =>
  `<div><b>${name}</b><i>${more}</i><span>${button('Edit', 'edit')}${button('Delete', name)}</span></div>`;

it.each([
  [
    'a state in the row',
    ...(['away', 'online'] as const).map(now => NAMES.map(name => card(name, now)).join('')),
  ],
  [
    'boxes around all',
    NAMES.map(name => card(name, '')).join(''),
    `<main><div>${NAMES.map(name => card(name, '')).join('')}</div></main>`,
  ],
  [
    'a banner',
    ...['See all users and more', 'New: our app'].map(
      banner => `<p>${banner}</p>${NAMES.map(name => card(name, '')).join('')}`,
    ),
  ],
  ['a stock', ...[3, 2].map(left => `<p>Only ${left} left</p>${NAMES.map(name => card(name, '')).join('')}`)],
])('what the goal does not name may change: %s', async (_, before, after) => {
  const goal = 'Delete 3 users, and Alice Ahmed first.';
  expect(await (await record(before!, goal, click(deleteNth(1))))(after!)).toEqual(['Alice Ahmed']);
});

it('an element that the page replaced while it was recorded is not recorded', async () => {
  const page = await pages.openPage('/');
  await page.setContent(`<div><button>Delete</button></div>`);
  const { recorder } = agentTask(page);
  const gone = await page.getByRole('button').elementHandle();
  await page.evaluate(() => document.body.replaceChildren());
  await recorder.record(page, { do: 'click' }, gone!);
  await recorder.answered();
  expect(await recorder.done()).toBeUndefined();
});

it('an element that the page replaces by a copy while its place is read is not recorded', async () => {
  const page = await pages.openPage('/');
  await page.setContent('<div><button>Delete</button></div>');
  const { recorder } = agentTask(page);
  const real = (await page.getByRole('button').elementHandle())!;
  const late = Object.assign(Object.create(real), {
    async $(selector: string) {
      const place = await (await real.$(selector))!.textContent();
      await page.evaluate(() =>
        document.body.replaceChildren(document.querySelector('div')!.cloneNode(true)),
      );
      return { textContent: async () => place };
    },
    ownerFrame: () => real.ownerFrame(),
  });
  await recorder.record(page, { do: 'click' }, late);
  expect(await recorder.done()).toBeUndefined();
});

it('what stands around a control is known although its locator takes longer than there is time', async () => {
  const page = await pages.openPage('/');
  await page.setContent(kinds['cards with two buttons']!.page(NAMES));
  const { recorder } = agentTask(page, { goal: 'Delete the user Alice Ahmed.' });
  const target = deleteNth(1)(page);
  // As on a page of 10,000 rows.
  target.normalize = async () => {
    await page.evaluate(() => {
      for (const end = performance.now() + 2_200; performance.now() < end; );
    });
    return target;
  };
  await recorder.record(page, { do: 'click' }, target);
  const [action] = (await recorder.done())!;
  expect(action).toMatchObject({ locator: String(target), beside: [{ text: 'Alice Ahmed' }] });
});

it('a goal that names another row by now is not the recorded one', async () => {
  const { page = () => '' } = kinds['cards with two buttons']!;
  const body = page(NAMES);
  const goals = ['Delete Alice Ahmed.', 'Delete Bob Brandt.'] as const;
  const playOn = await record(body, goals[0], click(deleteNth(1)));
  // Of the same spec only its data differs.
  const { specHash } = agentTask(await pages.openPage('/'));
  expect(await playOn(body, { goalNow: goals[1], specHash })).toEqual(['Alice Ahmed']);
  await expect(playOn(body, { goalNow: goals[1], ...SOON })).rejects.toThrow(
    'action 1: it acts beside "Alice Ahmed", which the goal no longer has',
  );
});

it('what the goal no longer has is an error of the set-up, or left to the fallback', async () => {
  const page = await pages.openPage('/');
  await page.setContent(DO + kinds['cards with two buttons']!.page(NAMES));
  const task = agentTask(page, { goal: 'Delete Bob Brandt.' });
  const configDir = tempFolder();
  mkdirSync(join(configDir, 'recordings'));
  const beside = [{ scope: 'alone' as const, text: 'Alice Ahmed' }];
  const locator = "getByRole('button', { name: 'Delete' }).nth(1)";
  const recording = madeRecording([madeAction({ do: 'click', locator, beside })], { specId: 'x' });
  writeFileSync(join(configDir, 'recordings/x.json'), JSON.stringify(recording));
  const play = (fallback?: Agent) =>
    playRecording({ ...task, page, specName: 'x', configDir }, { actionTimeoutMs: 400, fallback } as never);
  await expect(play()).rejects.toBeInstanceOf(AgentSetupError);
  const fallback = { name: 'mine', run: async ({ done }: SessionTask) => ({ answer: done.join() }) };
  const why = 'action 1: it acts beside "Alice Ahmed", which the goal no longer has: record it again';
  expect(await play(fallback as Agent)).toEqual({ answer: `This no longer worked: ${why}` });
});

it('a handler of the suite for an overlay runs once', async () => {
  const page = await pages.openPage('/');
  await page.setContent(
    `${DO}${button('Save', 'saved')}<div id="over" style="position: fixed; inset: 0; background: #fff">Cookies</div>`,
  );
  let runs = 0;
  await page.addLocatorHandler(page.getByText('Cookies'), async () => {
    runs++;
    // Long enough for another call to see the overlay, too.
    for (let frames = 0; frames < 10; frames++) await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.evaluate(() => document.querySelector('#over')?.remove());
  });
  const { recorder } = agentTask(page);
  const save = page.getByRole('button', { name: 'Save' });
  await recorder.record(page, { do: 'click' }, save);
  await save.click();
  await recorder.answered();
  expect([runs, await page.evaluate('done')]).toEqual([1, ['saved']]);
});

it.each<[string, (real: Locator, gone: ElementHandle | null) => Partial<Locator>]>([
  [
    'what names it has only a place',
    real => ({ normalize: async () => real.page().locator('div > button').last() }),
  ],
  ['it has no document', (real, gone) => ({ first: () => gone as never, normalize: async () => real })],
])('an element that was replaced while Playwright looked is not recorded: %s', async (_, asIfLate) => {
  const page = await pages.openPage('/');
  await page.setContent('<div><button>Delete</button></div>');
  const real = page.getByRole('button');
  const gone = await real.elementHandle();
  await page.evaluate(() => document.body.replaceChildren(document.querySelector('div')!.cloneNode(true)));
  const { recorder } = agentTask(page);
  await recorder.record(page, { do: 'click' }, Object.assign(Object.create(real), asIfLate(real, gone)));
  await recorder.answered();
  expect(await recorder.done()).toBeUndefined();
});

it('a list that is drawn anew under the pointer does not move the click', async () => {
  const page = (names: readonly string[]) => kinds['cards with two buttons']!.page(names);
  const moving = `<div id="all">${page(NAMES)}</div><script>document.addEventListener('mouseover', () => {
    all.innerHTML = ${JSON.stringify(page(['Zoe', ...NAMES]))} }, { once: true })</script>`;
  const goal = 'Delete the user Alice Ahmed.';
  expect(await (await record(page(NAMES), goal, click(deleteNth(1))))(moving)).toEqual(['Alice Ahmed']);
});

it('a text that is filled in may replace another', async () => {
  const act = async (page: Page, note: Note) => {
    const draft = { do: 'fill', text: 'Jo' };
    await note(draft, page.getByLabel('Name'));
    await page.getByLabel('Name').fill('Jo');
  };
  const goal = 'Set the name to "Jo".';
  expect(await (await record(nameField(''), goal, act))(nameField('Old'))).toEqual(['named']);
});

it.each([
  ['another control that was seen', 1, 'the control is no longer beside "Alice Ahmed"'],
  [
    'a control of which the page tells nothing',
    0,
    'the page did not tell in time what stands beside the control',
  ],
])('%s is refused, if the page can not tell afterwards', async (_, answers, message) => {
  const page = await pages.openPage('/');
  await page.setContent('<ul><li>Bob Brandt <button>Delete</button></li></ul>');
  const task = agentTask(page, { goal: 'Delete Alice Ahmed.' });
  const button = page.getByRole('button');
  const handle = (await button.elementHandle())!;
  let looks = 0;
  const $ = async (selector: string) => (looks++ < answers ? handle.$(selector) : null);
  const elementHandles = async () => [Object.assign(Object.create(handle), { $ })];
  const given = Object.assign(Object.create(button), { elementHandles });
  const told = { beside: [{ scope: 'row' as const, text: 'Alice Ahmed' }] };
  const end = performance.now() + SOON.timeoutMs;
  const find = findControl(given, told, { task, goal: goalWords(task.goal), end });
  await expect(find).rejects.toThrow(message);
  expect(looks).toBeGreaterThan(1);
});

it('an effect that the recording does not know is not missed', async () => {
  const page = await pages.openPage('/');
  await page.setContent('<button>Save</button>');
  const [before, after] = [
    { url: '', content: '' },
    { url: '/', content: 'a' },
  ];
  const action = { do: 'click', locator: "getByRole('button', { name: 'Save' })", tab: 0, before, after };
  const play = (recorded: object) => {
    const turns = [{ title: 'save', actions: [{ title: 'save', recorded: [recorded] }] }];
    return new Player(agentTask(page), SOON.timeoutMs).play({ turns, specHash: 'then' } as never);
  };
  await play(action);
  await expect(play({ ...action, before: { url: '/', content: 'b' } })).rejects.toThrow('save had no effect');
});

it('what is to be on may be on already', async () => {
  const news = (isOn: string) => `<label><input type="checkbox" ${isOn} oninput="act('news')">News</label>`;
  const act = async (page: Page, note: Note) => {
    await note({ do: 'check', checked: true } as never, page.getByLabel('News'));
    await page.getByLabel('News').check();
  };
  expect(await (await record(news(''), 'Turn on the news.', act))(news('checked'))).toEqual([]);
});
