// What a model's calls did to a page, recorded and played again on a fresh page: both must end up the same.
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { describe, expect, it } from 'vitest';
import { ActionProblem, Player } from '../../src/agents/replay/player';
import type { Recording } from '../../src/data/recording';
import { agentTask } from '../support/agent-task';
import { harness, html } from '../support/claude-harness';
import { at } from '../support/messages-api';
import { LOG, recordingOf } from '../support/recordings';

const pages = harness({
  '/form': html(`${LOG}<form onsubmit="note('sent ' + new URLSearchParams(new FormData(this))); return false">
    <label>Name <input name="name"></label><label>Notes <textarea name="notes"></textarea></label>
    <label>Day <input name="day" type="date"></label>
    <label><input type="checkbox" name="terms"> I agree</label>
    <label><input type="radio" name="plan" value="a"> Plan A</label><label><input type="radio" name="plan" value="b"> Plan B</label>
    <label>Country <select name="country"><option value="de">Germany</option><option value="fr">France</option></select></label>
    <label>Password <input type="password" name="pw"></label>
    <label>File <input type="file" name="file" onchange="note('file ' + this.files[0].name)"></label>
    <button type="button" onclick="picker.click()">Attach</button><input id="picker" type="file" hidden onchange="note('attached ' + this.files[0].name)">
    <div contenteditable aria-label="Editor" oninput="note('edited')"></div>
    <button>Send</button></form><div id="host"></div>
    <script>host.attachShadow({ mode: 'open' }).innerHTML = '<button onclick="note(&quot;deep&quot;)">In shadow</button>'</script>`),
  '/telling':
    html(`${LOG}<form oninput="for (const one of this.querySelectorAll('label')) one.lastChild.data = 'is ' + one.control.value.toUpperCase()"
    onsubmit="note('sent ' + new URLSearchParams(new FormData(this))); return false">
    <label>Bio <textarea name="bio"></textarea>is empty</label><label>Search <input name="q">is empty</label>
    <label>Size <select name="size"><option>s</option><option>l</option></select>is empty</label><button>Send</button></form>`),
  '/cards': html(
    `${LOG}${Array.from({ length: 20 }, (_, i) => `<article><h3>Plant ${i}</h3><button onclick="note('added ${i}')">Add</button></article>`).join('')}`,
  ),
  '/orders': html(
    `${LOG}<div>${[1042, 2077, 3055].map(i => `<div><h3>Order ${i}</h3><button onclick="note('cancelled ${i}')">Cancel</button></div>`).join('')}</div>`,
  ),
  '/changing': html(
    `${LOG}<ul>${['Ann', 'Bob', 'Cleo'].map(name => `<li>${name}<button onclick="note('follow ${name}'); this.textContent = 'Following'">Follow</button><button onclick="note('pin ${name}'); document.querySelector('ul').prepend(this.parentNode)">Pin</button><button aria-label="Remove" onclick="note('remove ${name}'); this.parentNode.remove()">x</button></li>`).join('')}</ul>`,
  ),
  '/mouse':
    html(`${LOG}<canvas id="c" width="300" height="200" style="background:#eee" onclick="note('canvas ' + Math.round(event.offsetX / 20) + ' ' + Math.round(event.offsetY / 20))"></canvas>
    <button ondblclick="note('double')" oncontextmenu="note('menu'); return false">Twice</button>
    <button onclick="note([event.shiftKey && 'shift', event.button].filter(Boolean).join() + ' click')">Held</button>
    <div style="width:80px;height:30px" onmouseenter="sub.hidden = false; note('over')">Menu<button id="sub" hidden onclick="note('sub')">Item</button></div>
    <div draggable="true" id="from" style="width:60px;height:30px;background:#cdf" ondragstart="event.dataTransfer.setData('text', 'x')">Drag me</div>
    <div id="to" style="width:90px;height:60px;background:#fdc" ondragover="event.preventDefault()" ondrop="note('dropped')">Here</div>
    <div id="list" style="height:100px;width:200px;overflow:auto"><div style="height:900px">Long</div><button onclick="note('end')">End of list</button></div>
    <script>list.addEventListener('scroll', () => { if (list.scrollTop > 200 && !log.includes('scrolled')) note('scrolled') })</script>`),
  '/keys': html(
    `${LOG}<input aria-label="Field"><p>Body</p><script>addEventListener('keydown', e => note([e.ctrlKey && 'ctrl', e.key].filter(Boolean).join('+')))</script>`,
  ),
  '/dialogs': html(`${LOG}<button onclick="note('confirm ' + confirm('Sure?'))">Ask</button>
    <button onclick="note('prompt ' + prompt('Name?'))">Name</button><button onclick="alert('Hi'); note('alerted')">Tell</button>`),
  '/tabs': html(
    `${LOG}<a href="/other" target="_blank">Open other</a><a href="/other?here">Go there</a><button onclick="note('first')">First</button>`,
  ),
  '/other': html(`${LOG}<button onclick="note('other')">Other</button><a href="/tabs">Back home</a>`),
  '/frame': html(
    `${LOG}<iframe src="/form" style="width:700px;height:500px;margin:20px;border:3px solid"></iframe>`,
  ),
});

type Opened = Awaited<ReturnType<typeof pages.open>>;

/** What there is to see of what was done, in all tabs and frames. */
async function stateOf(page: Page): Promise<unknown> {
  const tabs = page.context().pages();
  return Promise.all(
    tabs.map(async tab => ({
      path: new URL(tab.url()).pathname,
      frames: await Promise.all(
        tab.frames().map(frame =>
          frame.evaluate(() => ({
            log: (window as unknown as { log: string[] }).log,
            fields: [...document.querySelectorAll<HTMLInputElement>('input,textarea,select')].map(
              ({ type, value, checked }) => [type, value, checked],
            ),
            editor: document.querySelector('[contenteditable]')?.textContent,
          })),
        ),
      ),
    })),
  );
}

// Below the folder of the config, which is the working directory here.
const file = resolve('LICENSE');

const rows: { name: string; path: string; act(opened: Opened): Promise<void> }[] = [
  {
    name: 'fields whose labels tell what is in them',
    path: '/telling',
    async act({ act, ref }) {
      await act('form_input', { target: await ref(/textbox "Bio/), value: 'gardener' });
      await act('form_input', { target: await ref(/combobox "Size/), value: 'l' });
      await act('left_click', { target: await ref(/textbox "Search/) });
      await act('type', { text: 'plants' });
      await act('left_click', { target: await ref(/button "Send"/) });
    },
  },
  {
    name: 'fields by form_input',
    path: '/form',
    async act({ act, ref }) {
      for (const [field, value] of [
        [/textbox "Name"/, 'Zoë "O’Neil" \\ <b>'],
        [/textbox "Notes"/, 'one\ntwo'],
        [/textbox "Day"/, '2026-11-21'],
        [/checkbox "I agree"/, true],
        [/radio "Plan B"/, true],
        [/combobox "Country"/, 'France'],
      ] as const)
        await act('form_input', { target: await ref(field), value });
      await act('left_click', { target: await ref(/button "Send"/) });
    },
  },
  {
    name: 'typing, keys and replacing',
    path: '/form',
    async act({ act, ref }) {
      await act('left_click', { target: await ref(/textbox "Name"/) });
      await act('type', { text: 'first' });
      await act('triple_click', { target: await ref(/textbox "Name"/) });
      await act('type', { text: 'second' });
      await act('key', { text: 'BackSpace', repeat: 2 });
      await act('left_click', { target: await ref(/textbox "Editor"/) });
      await act('type', { text: 'rich text' });
      await act('left_click', { target: await ref(/textbox "Name"/) });
      await act('key', { text: 'Return' });
    },
  },
  {
    name: 'files',
    path: '/form',
    async act({ act, ref }) {
      await act('file_upload', { target: await ref(/button "File"/), paths: [file] });
      await act('file_upload', { target: await ref(/button "Attach"/), paths: [file] });
    },
  },
  {
    name: 'one of many like it',
    path: '/cards',
    async act({ run, act, page }) {
      const { text } = await run('read_page', { filter: 'all' });
      const adds = text.split('\n').filter(line => line.includes('button "Add"'));
      await act('left_click', { target: { type: 'ref', ref: /ref_\d+/.exec(adds[2]!)![0] } });
      const box = (await page.getByRole('button', { name: 'Add' }).nth(1).boundingBox())!;
      await act('left_click', { target: at(Math.round(box.x + 5), Math.round(box.y + 5)) });
    },
  },
  {
    name: 'points of controls that a click renames, moves or removes',
    path: '/changing',
    async act({ act, page }) {
      for (const [name, nth] of [
        ['Follow', 1],
        ['Pin', 2],
        ['Remove', 2],
      ] as const) {
        const { x, y } = (await page.getByRole('button', { name, exact: true }).nth(nth).boundingBox())!;
        await act('left_click', { target: at(Math.round(x + 5), Math.round(y + 5)) });
      }
    },
  },
  {
    name: 'points of a canvas, clicks of all kinds, hover, drag, scroll',
    path: '/mouse',
    async act({ act, ref, page }) {
      await act('left_click', { target: at(145, 65) });
      await act('double_click', { target: await ref(/button "Twice"/) });
      await act('right_click', { target: await ref(/button "Twice"/) });
      await act('left_click', { target: await ref(/button "Held"/), modifiers: 'shift' });
      const menu = (await page.getByText('Menu').boundingBox())!;
      await act('hover', { target: at(Math.round(menu.x + 9), Math.round(menu.y + 9)) });
      await act('left_click', { target: await ref(/button "Item"/) });
      const [from, to] = [await page.locator('#from').boundingBox(), await page.locator('#to').boundingBox()];
      const spot = (box: typeof from) => at(Math.round(box!.x + 20), Math.round(box!.y + 15));
      await act('left_click_drag', { from: spot(from), target: spot(to) });
      const list = (await page.locator('#list').boundingBox())!;
      const target = at(Math.round(list.x + 20), Math.round(list.y + 20));
      await act('scroll', { target, scroll_direction: 'down', scroll_amount: 5 });
      await act('left_click', { target: await ref(/button "End of list"/) });
    },
  },
  {
    name: 'keys without a field',
    path: '/keys',
    async act({ act, ref }) {
      await act('key', { text: 'ctrl+b' });
      await act('left_click', { target: await ref(/textbox "Field"/) });
      await act('key', { text: 'a Down Down' });
    },
  },
  {
    name: 'dialogs',
    path: '/dialogs',
    async act({ act, ref, task }) {
      await act('left_click', { target: await ref(/button "Ask"/) });
      task.session.dialogs.policy = () => ({ accept: true });
      await act('left_click', { target: await ref(/button "Ask"/) });
      task.session.dialogs.policy = () => ({ accept: true, text: 'Mira' });
      await act('left_click', { target: await ref(/button "Name"/) });
      await act('left_click', { target: await ref(/button "Tell"/) });
    },
  },
  {
    name: 'tabs and history',
    path: '/tabs',
    async act({ act, ref, run }) {
      await act('left_click', { target: await ref(/link "Open other"/) });
      await act('left_click', { target: await ref(/button "Other"/) });
      const { tabs } = await run('list_tabs');
      await act('switch_tab', { tab_id: tabs[0]!.tab_id });
      await act('left_click', { target: await ref(/button "First"/) });
      await act('navigate', { url: '/other?typed' });
      await act('navigate', { url: 'back' });
      await act('navigate', { url: 'forward' });
      await act('left_click', { target: await ref(/button "Other"/) });
      await act('close_tab', { tab_id: tabs[1]!.tab_id });
      await act('new_tab');
      await act('navigate', { url: '/other' });
      await act('left_click', { target: await ref(/button "Other"/) });
    },
  },
  {
    name: 'a frame, by reference and by point',
    path: '/frame',
    async act({ act, ref, page }) {
      await act('form_input', { target: await ref(/textbox "Name"/), value: 'framed' });
      const box = (await page.frames()[1]!.getByRole('button', { name: 'In shadow' }).boundingBox())!;
      await act('left_click', { target: at(Math.round(box.x + 5), Math.round(box.y + 5)) });
      await act('left_click', { target: await ref(/textbox "Notes"/) });
      await act('type', { text: 'typed in a frame' });
    },
  },
];

describe('a replay ends where the trial did', () => {
  it.each(rows)('$name', async ({ path, act }) => {
    const first = await pages.open(path, { members: { file_upload: [process.cwd()] } });
    await act(first);
    const recording = recordingOf(first.actions);
    const recorded = recording.turns.flatMap(({ actions }) => actions.flatMap(each => each.recorded));
    // Each has a name that outlives a change of the page's order.
    expect(JSON.stringify(recorded)).not.toContain('nth-child');
    const page = await pages.openPage(path);
    const task = agentTask(page);
    const player = new Player(task, 3_000);
    await player.play(JSON.parse(JSON.stringify(recording)));
    await expect.poll(() => stateOf(page)).toEqual(await stateOf(first.page));
    const again = task.turns.flatMap(({ actions }) => actions);
    expect(again.map(({ title }) => title)).toEqual(recording.turns.map(({ title }) => title));
    expect(recordingOf(again).turns.map(({ title }) => title)).toEqual(
      recording.turns.map(({ title }) => title),
    );
  });
});

it('there is no recording of a dialog that a listener of the agent answers', async () => {
  const first = await pages.open('/dialogs');
  first.page.once('dialog', dialog => dialog.accept());
  await first.act('left_click', { target: await first.ref(/button "Ask"/) });
  expect(first.actions).toHaveLength(2);
  expect(first.actions[1]!.recorded).toBeUndefined();
});

describe('a secret', () => {
  it('is recorded by its name and typed by its value', async () => {
    const secrets = { SHOP: 'correct "horse"' };
    const first = await pages.open('/form', { secrets });
    await first.act('form_input', {
      target: await first.ref(/textbox "Password"/),
      value: '<secret>SHOP</secret>',
    });
    const recording = recordingOf(first.actions);
    expect(JSON.stringify(recording)).not.toContain('horse');
    const page = await pages.openPage('/form');
    const play = (given: Record<string, string>) =>
      new Player(agentTask(page, { secrets: given }), 3_000).play(JSON.parse(JSON.stringify(recording)));
    await play({ SHOP: 'another' });
    expect(await page.getByLabel('Password').inputValue()).toBe('another');
    await expect(play({})).rejects.toThrow(
      /^the recording types the secret SHOP, which this project does not have/,
    );
  });
});

describe('a page that has changed', () => {
  const changes: [string, string, RegExp][] = [
    [
      'is gone',
      `document.querySelectorAll('button').forEach(each => each.remove())`,
      /^action 2: button "In shadow" not found on \/form$/,
    ],
    [
      'has no effect any more',
      `document.addEventListener('click', event => event.stopImmediatePropagation(), true)`,
      /^action 2: .*button "In shadow".* had no effect on \/form$/,
    ],
    [
      'is covered',
      `document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0"></div>')`,
      /^action 2: button "In shadow" can't be used: it is covered by <div> on/,
    ],
    [
      'stands there twice',
      `document.body.insertAdjacentHTML('beforeend', '<button>In shadow</button>')`,
      /^action 2: button "In shadow" now matches 2 elements instead of one on/,
    ],
  ];
  it('is named: the locator that is none', async () => {
    const first = await pages.open('/form');
    await first.act('form_input', { target: await first.ref(/textbox "Name"/), value: 'Mira' });
    const broken = JSON.stringify(recordingOf(first.actions)).replace('getBy', 'byHand');
    const player = new Player(agentTask(await pages.openPage('/form')), 3_000);
    const failure = await player.play(JSON.parse(broken)).catch(error => error);
    expect(failure).toBeInstanceOf(ActionProblem);
    expect(failure.message).toMatch(/^action 1: .* can't be used: .*there is no `byHand/);
  });

  let recorded: Promise<Recording> | undefined;
  async function record(): Promise<Recording> {
    const first = await pages.open('/form');
    await first.act('form_input', { target: await first.ref(/textbox "Name"/), value: 'Mira' });
    await first.act('left_click', { target: await first.ref(/button "In shadow"/) });
    return recordingOf(first.actions);
  }

  it.each(changes)('is named: the element %s', async (_, change, message) => {
    recorded ??= record();
    const recording = await recorded;
    const page = await pages.openPage('/form');
    const inShadow = change.startsWith('document.querySelectorAll');
    await page.evaluate(inShadow ? `host.remove(); ${change}` : change);
    const player = new Player(agentTask(page), 3_000);
    const failure = await player.play(recording).catch(error => error);
    expect(failure).toBeInstanceOf(ActionProblem);
    expect(failure.message).toMatch(message);
    expect(player.done).toHaveLength(1);
  });

  it('is told: what has another name by now, and a dialog that no longer opens', async () => {
    const rename = (name: string) => `document.querySelector('button').textContent = '${name}'`;
    const first = await pages.open('/dialogs');
    await first.page.evaluate(rename('Cancel order 1042'));
    await first.act('left_click', { target: await first.ref(/button "Cancel order/) });
    const recording = recordingOf(first.actions);
    const cancelled = async () => {
      const page = await pages.openPage('/dialogs');
      await page.evaluate(`${rename('Cancel order 2077')}; confirm = () => false`);
      return page;
    };
    const task = agentTask(await cancelled());
    await new Player(task, 3_000).play(recording);
    const named = new Player(agentTask(await cancelled(), { goal: 'Click "Cancel order 1042"' }), 500);
    await expect(named.play(recording)).rejects.toThrow(
      /^action 1: button "Cancel order 1042" is now button "Cancel order 2077" on \/dialogs$/,
    );
    expect(task.session.notices).toEqual([
      'Since the recording, button "Cancel order 1042" is now button "Cancel order 2077".',
      'The recording answers a dialog here, and none opened. Record it again if that was meant.',
    ]);
  });

  it('is named: a dialog that asks something else by now is not accepted', async () => {
    const first = await pages.open('/dialogs');
    first.task.session.dialogs.policy = () => ({ accept: true });
    await first.act('left_click', { target: await first.ref(/button "Ask"/) });
    const recording = recordingOf(first.actions);
    const asking = async (question: string, then = recording) => {
      const page = await pages.openPage('/dialogs');
      await page.evaluate(`const { confirm: ask } = window; confirm = () => ask('${question}')`);
      const task = agentTask(page);
      await new Player(task, 3_000).play(then);
      return task.session.notices;
    };
    expect(await asking('Sure?')).toEqual(['A dialog (confirm) said "Sure?" and was accepted.']);
    expect(
      await asking(
        'Sure? 3 orders are open.',
        JSON.parse(JSON.stringify(recording).replace('Sure?', 'Sure? 2 orders are open.')),
      ),
    ).toHaveLength(1);
    await expect(asking('Delete your account?')).rejects.toThrow(
      'action 1: a dialog says "Delete your account?" instead of "Sure?" on /dialogs',
    );
  });

  it.each([
    ['a question that was dismissed', 'Ask', 'confirm', 'dismissed. In the recording it said "Sure?".'],
    ['what only tells', 'Tell', 'alert', 'accepted. In the recording it said "Hi".'],
  ])('is told: %s says something else by now', async (_, button, kind, note) => {
    const first = await pages.open('/dialogs');
    await first.act('left_click', { target: await first.ref(new RegExp(`button "${button}"`)) });
    const page = await pages.openPage('/dialogs');
    await page.evaluate(`const { ${kind}: open } = window; ${kind} = () => open('News')`);
    const task = agentTask(page);
    await new Player(task, 3_000).play(recordingOf(first.actions));
    expect(task.session.notices).toEqual([`A dialog (${kind}) said "News" and was ${note}`]);
  });
});
