// The lexical agent on small pages, one or more for each promise of docs/lexical.md. Every page keeps what was done in
// `document.body.dataset`, which is what is looked at in the end.
import type { Page } from '@playwright/test';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/agent';
import { lexical } from '../../src/agents/lexical';
import { agentTask, type TaskSetup } from '../support/agent-task';
import { browserOfTests } from '../support/shared-browser';
import { usedPages } from '../support/used-pages';

const pages = usedPages(browserOfTests());
let page: Page;
beforeEach(async () => {
  page = await pages.take();
});

const LOG =
  '<script>log = text => { document.body.dataset.log = [document.body.dataset.log, String(text)].filter(part => part).join(",") }</script>';

/** Runs the agent on a page and resolves to what the page logged, the titles of the turns and how it ended. */
async function run(html: string, goal: string, options: TaskSetup = {}, actionTimeoutMs = 2000) {
  await page.setContent(`<!doctype html>${LOG}<body>${html}`);
  const task = agentTask(page, { goal, ...options });
  const end = await lexical({ actionTimeoutMs })
    .run(task)
    .finally(() => task.session.dispose());
  const log = await task.page.evaluate(() => document.body.dataset.log ?? '');
  const titles = task.turns.map(({ title }) => title);
  return { log, titles, said: task.turns.flatMap(({ narration }) => narration), ...endOf(end) };
}

function endOf(end: Awaited<ReturnType<Agent['run']>>) {
  const hasEnded = end && 'answer' in end;
  return { end: hasEnded ? null : (end ?? null), answer: hasEnded ? end.answer : undefined };
}

/** Where nothing is waited for in vain, and a busy machine may take its time. */
const runPatiently = (html: string, goal: string) => run(html, goal, {}, 20_000);

const buttons = (...names: string[]) =>
  names.map(name => `<button onclick="log(this.textContent)">${name}</button>`).join(' ');
/** A checkbox as some libraries write it. */
const pressed = (is: boolean) =>
  `<button role="checkbox" aria-label="Hosta" aria-pressed="${is}" onclick="this.setAttribute('aria-pressed', this.getAttribute('aria-pressed') === 'false'); log(this.getAttribute('aria-pressed'))">x</button>`;
const form = (fields: string, button = 'Submit') =>
  `<form onsubmit="event.preventDefault(); log([...new FormData(this)].map(pair => pair.join('=')).join('&'))">${fields}<button>${button}</button></form>`;
const row = (name: string) =>
  `<tr><td>${name}</td><td><button onclick="log('${name}')">Edit</button></td></tr>`;

/** A label that is only drawn over its field. */
const apart = (label: string, field: string) =>
  `<div><div><div><b>${label}</b><i></i></div></div><div><div>${field}</div></div></div>`;
const DIALOGS = `<button onclick="log(confirm('Sure?'))">Delete</button><button onclick="log(prompt('Name?'))">Rename</button>`;
/** Without white space between its elements. */
const rowOfComponents = (name: string) =>
  `<li><span>${name}</span><button onclick="log('${name}')">Edit</button></li>`;
const table = `<table>${row('Alice')}${row('Bob')}</table>`;

it.each([
  ['Click the "No" button', buttons('Not now', 'no', 'No'), 'No'],
  ['Click "sign in"', buttons('Sign up', 'Sign in'), 'Sign in'],
  ['Click "Delete"', buttons('Delete account'), 'Delete account'],
  ['Click "Edit" in the row "Bob"', table, 'Bob'],
  ['Click "Edit" in the row "Bob"', `<ul>${['Bo', 'Bob'].map(rowOfComponents).join('')}</ul>`, 'Bob'],
  ['Click the 2nd "Edit"', table, 'Bob'],
  ['Click "Buy"', '<div onclick="log(1)"><span style="pointer-events:none">Buy</span></div>', '1'],
  ['Check "Hosta"', pressed(false), 'true'],
  ['Uncheck "Hosta"', pressed(true), 'false'],
  ['Enter "Jo" into "Name" and press Enter', form('<input name="a" placeholder="Name">'), 'a=Jo'],
  [
    'Enter "x" into "City", enter "y" into "Zip" and press "Submit"',
    form(`${apart('City', '<input name="b">')}${apart('Zip *', '<input name="c" placeholder="0000">')}`),
    'b=x&c=y',
  ],
  [
    'Enter "1 May" into "Birthday", click "Submit"',
    form('<label>Birthday <input name="b" onfocus="this.after(1900 + 99)"></label>'),
    'b=1 May',
  ],
  [
    'Select "Mon" from "Days", then select "Tue" from "Days"',
    `<div role="combobox" tabindex="0" aria-label="Days" onclick="menu.hidden = !menu.hidden">-</div>
    <ul id="menu" role="listbox" aria-label="Days" hidden><li role="option" onclick="log('Mon')">Mon<li role="option" onclick="log('Tue')">Tue</ul>`,
    'Mon,Tue',
  ],
  [
    'Select "Done" from "Status"',
    `<span id="of">Status</span><button id="now" aria-haspopup="listbox" aria-labelledby="of now" onclick="menu.hidden=false">To do</button>
    <ul id="menu" role="listbox" hidden><li role="option" onclick="log('To do')">To do<li role="option" onclick="log('Done')">Done</ul>`,
    'Done',
  ],
  [
    'Select "A" from "Letters", select "C" from "Letters", click "Submit"',
    form('<label>Letters <select multiple name="l"><option>A<option>B<option>C</select></label>'),
    'l=A&l=C',
  ],
  [
    'Log in with the user name "jo" and the password "hunter" and click "Sign in"',
    form('<input name="u"><input type="password" name="p">', 'Sign in'),
    'u=jo&p=hunter',
  ],
  [
    'Select "Red" from "Colours", click "Submit"',
    form(
      '<input aria-label="Filter the colours"><select name="c" aria-label="All colours"><option>Blue<option>Red: 3</select>',
    ),
    'c=Red: 3',
  ],
  [
    'Check "Mail" and click "Submit"',
    form('<input id="m" type="checkbox" name="m" style="display:none"><label for="m">Mail</label>'),
    'm=on',
  ],
  [
    'Select "L" from "Size" and click "Submit"',
    form(
      '<fieldset><legend>Size</legend><label><input type="radio" name="r" value="l"> L</label></fieldset><label><input type="radio" name="r" value="x"> L</label>',
    ),
    'r=l',
  ],
  ['Press Escape', `<script>addEventListener('keydown', event => log(event.key))</script>`, 'Escape'],
  [
    'Open "File" > "Export"',
    `<button onclick="m.hidden = false">File</button><div role="menu" id="m" hidden><div role="menuitem" onclick="log('export')">Export</div></div>`,
    'export',
  ],
  [
    'Choose "Blue" from "Colour"',
    `<div role="combobox" tabindex="0" aria-label="Colour" onclick="l.hidden = false">-</div><ul id="l" role="listbox" hidden><li role="option" onclick="log('blue')">Blue</li></ul>`,
    'blue',
  ],
  [
    'Click "Inside"',
    `<iframe srcdoc="<button onclick='parent.document.body.dataset.log = 1'>Inside</button>"></iframe>`,
    '1',
  ],
  ['Read "Care"', '<details ontoggle="log(this.open)"><summary>Care</summary>Water</details>', 'true'],
  [
    'Double-click "Water"',
    `<svg><g ondblclick="log('node')"><rect width="120" height="30"/><text x="9" y="20" style="pointer-events:none">Water</text></g></svg>`,
    'node',
  ],
  [
    'Upload "package.json" to "Import"',
    '<div style="position:relative"><button>Import</button><input type="file" title="Any file" style="position:absolute;inset:0;opacity:0" onchange="log(this.files[0].name)"></div>',
    'package.json',
  ],
  [
    'Click "Add" next to "Fern"',
    `<ul><li>Fern <ul><li>Fern, small</li></ul>${buttons('Add')}</li><li>Moss ${buttons('Add')}</li></ul>`,
    'Add',
  ],
  [
    'Click "Go"',
    `<div role="button" onclick="log('outer')"><button onclick="log('inner')">Go</button></div>`,
    'inner,outer',
  ],
  ['Click "Read"', '<a href="#a" onclick="log(1)">Read</a> <a href="#a" onclick="log(2)">Read</a>', '1'],
  ['Enter "ab" into "Filter"', `<label>Filter <input onkeyup="log(event.key)"></label>`, 'a,b'],
  [
    'Enter "2026-03-14" into "Day" and click "Submit"',
    form('<label>Day <input type="date" name="d"></label>'),
    'd=2026-03-14',
  ],
  [
    'Uncheck "Mail" and click "Submit"',
    form(
      '<input type="hidden" name="a" value="1"><label><input type="checkbox" name="m" checked> Mail</label>',
    ),
    'a=1',
  ],
  [
    'Log in with the user name "jo" and the password "hunter"',
    form('<input name="u"><input type="password" name="p">', 'Sign in'),
    'u=jo&p=hunter',
  ],
  [
    'Click "Save"',
    `${buttons('Save')}<dialog id="d"><button onclick="log('in the dialog')">Save</button></dialog><script>d.showModal()</script>`,
    'in the dialog',
  ],
  [
    // Drawn late, and three times anew.
    'Click "Late"',
    `<div id="x"></div><script>
      show = () => { x.innerHTML = '<button onmousedown="show = () => {}" onclick="log(1)">Late</button>' };
      for (const ms of [300, 350, 400]) setTimeout(() => show(), ms);
    </script>`,
    '1',
  ],
  // The browser's own dialogs.
  ['Click "Delete"', DIALOGS, 'false'],
  ['Click "Delete" and accept the dialog', DIALOGS, 'true'],
  ['Click "Delete" and dismiss the dialog', DIALOGS, 'false'],
  ['Click "Rename" and accept the prompt with "Bob"', DIALOGS, 'Bob'],
])('%s', async (goal, html, log) => {
  expect(await runPatiently(html, goal)).toMatchObject({ log, end: null });
});

it.each([
  ['Read "Total"', '<table><tr><td>Total<td>12.50</table>', '12.50'],
  ['Read "Name"', '<label>Name <input value="Jo"></label>', 'Jo'],
  [
    'Wait for "Saved" and read "Care"',
    '<p>Saved</p><details><summary>Care</summary>Water</details>',
    'Water',
  ],
])('%s is its answer', async (goal, html, read) => {
  const { said, answer, end } = await run(html, goal);
  expect({ said: said.at(-1), answer, end }).toMatchObject({
    said: expect.stringContaining(read),
    answer: expect.stringContaining(read),
    end: null,
  });
});

it('answers nothing if it read nothing', async () => {
  expect((await run(buttons('Go'), 'Click "Go" and wait for "Go"')).answer).toBeUndefined();
});

it.each(['onclick="log(1);', 'onclick="log(1)" onmousemove="if (!window.moved)'])(
  'clicks a page that works on it once: <button %s ...',
  async handler => {
    const html = `<button ${handler} for (const end = Date.now() + 2000; Date.now() < end; ); window.moved = true">Go</button>`;
    expect(await runPatiently(html, 'Click "Go"')).toMatchObject({ log: '1', end: null });
  },
);

it('waits for a slow document after a click, longer than the click itself may take', async () => {
  await page.route('http://shop.test/**', async route => {
    const slow = route.request().url().endsWith('/slow');
    if (slow) await new Promise(resolve => setTimeout(resolve, 3_000));
    await route.fulfill({
      contentType: 'text/html',
      body: slow ? '<h1>Arrived</h1>' : '<a href="/slow">Slow</a>',
    });
  });
  await page.goto('http://shop.test/');
  const task = agentTask(page, { goal: 'Click "Slow" and wait for "Arrived"' });
  expect(await lexical({ actionTimeoutMs: 500 }).run(task)).toEqual({ answer: undefined });
  task.session.dispose();
});

it('waits longer for a page that is still drawing', async () => {
  const html = `<div id="x"></div><script>
    draw = (left) => { x.innerHTML += left ? '<i></i>' : '<button onclick="log(1)">Drawn</button>'; if (left) setTimeout(draw, 350, left - 1) };
    draw(8);
  </script>`;
  expect(await run(html, 'Click "Drawn"')).toMatchObject({ log: '1', end: null });
});

it('reads a large page in time: the smallest of many boxes', async () => {
  // Boxes in boxes, as applications draw them.
  const boxes = (inside: string, depth: number): string =>
    depth ? `<div><div><button>More</button></div><div>${boxes(inside, depth - 1)}</div></div>` : inside;
  const adds = ['tag', 'field'].map(
    of => `<div><input placeholder="${of} name"><button onclick="log('${of}')">add</button></div>`,
  );
  const html = `${boxes('<i>x</i>', 30).repeat(4)}${boxes(adds.join(''), 30)}`;
  const goal = 'Click "add" next to "field name"';
  expect(await runPatiently(html, goal)).toMatchObject({ log: 'field', end: null });
});

describe('what lies over the target', () => {
  const over = (inner: string) =>
    `${buttons('Save')}<div style="position:fixed;inset:0;background:#fff8">${inner}</div>`;
  const gone = (name: string) =>
    `<button onclick="log('${name}'); this.parentElement.remove()">${name}</button>`;
  // The tour of a first visit to a flow editor: the popover stands beside the shade, and its button has no name.
  const tour = (close: string) => `${buttons('Save')}
    <div class="red-ui-tourGuide-shade" style="position:fixed;inset:0;background:#0008"></div>
    <div class="red-ui-popover" style="position:absolute;top:90px;left:90px;background:#fff"><h2>Welcome</h2>
      <button>Next</button>${close}</div>
    <script>end = () => { log('end'); document.querySelectorAll('[class*=red-ui]').forEach(part => part.remove()) }</script>`;
  const icon = '<i class="fa fa-times" style="display:block;width:9px;height:9px"></i>';
  const layer = over('<button aria-label="Close" onclick="this.parentElement.remove()">x</button>');

  it.each([
    [
      'without agreeing to anything',
      over(`Cookies ${gone('Accept all')}${gone('Reject all')}`),
      'Reject all,Save',
    ],
    ['by an icon beside it', tour(`<button class="tour-close" onclick="end()">${icon}</button>`), 'end,Save'],
    ['by a word', tour('<a onclick="end()">Skip the tour</a>'), 'end,Save'],
    [
      'by a button in a shadow root',
      tour(
        '<span id="deep"></span><script>deep.attachShadow({ mode: "open" }).innerHTML = "<button onclick=end()>Close</button>"</script>',
      ),
      'end,Save',
    ],
    ['where there are two', layer + layer.replace(buttons('Save'), ''), 'Save'],
  ])('is closed %s', async (_, html, log) => {
    expect(await run(html, 'Click "Save"')).toMatchObject({ log, end: null });
  });

  const still = (element: string) => `<div onclick="log('list')" style="width:200px">${element}</div>`;
  it.each([
    ['Save', over('Please wait for ever'), /covered by <div/],
    ['Save', still('<button style="pointer-events:none">Save</button>'), /covered by <div/],
    [
      'Buy',
      `<div><span style="pointer-events:none">Buy</span><div onclick="log(1)" style="position:fixed;inset:0">Please wait</div></div>`,
      /covered by <div/,
    ],
  ])('is not clicked in the place of "%s"', async (label, html, reason) => {
    const { end, log } = await run(html, `Click "${label}"`);
    expect({ reason: end?.reason, log }).toEqual({ reason: expect.stringMatching(reason), log: '' });
  });

  it('is no overlay where a field leaves its clicks to the part around it', async () => {
    const html = still('<input readonly aria-label="Colour" style="pointer-events:none">') + buttons('Blue');
    expect(await run(html, 'Choose "Blue" from "Colour"')).toMatchObject({ log: 'list,Blue', end: null });
  });
});

it.each([
  [
    'Click "Dependencies"',
    '<div role="tablist"><button role="tab">Readme</button><button role="tab">Versions</button></div>',
    /nothing called "Dependencies" on .*; there is tab "Readme", tab "Versions"$/,
  ],
  ['Click "Edit"', table, /several things are called "Edit"/],
  // The field after the heading has a label of its own.
  ['Enter "Jo" into "Name"', '<h2>Name</h2><label>City <input></label>', /nothing called "Name"/],
  [
    'Select "Green" from "Colour"',
    '<label>Colour <select><option>Blue<option>Red</select></label>',
    /no option "Green" in .*; there are "Blue", "Red"$/,
  ],
  ['Enter "Jo" into "Name"', '<label>Name <input readonly></label>', /it is read-only$/],
  [
    'Click "Edit" in the row "Eve"',
    table,
    /nothing called "Edit" beside "Eve" on .*; there is button "Edit"$/,
  ],
  ['Upload "package.json" to "Import"', buttons('Import'), /it opens no file dialog$/],
  ['Click "Go" and read "Saved"', buttons('Go'), /^read "Saved" \(2 of 2\): nothing called "Saved"/],
  ['Click "Delete" and accept the dialog', buttons('Delete'), /no dialog opened$/],
])('gives up: %s', async (goal, html, reason) => {
  expect((await run(html, goal)).end?.reason).toMatch(reason);
});

it('gives up before any turn where a clause is not understood', async () => {
  const { end, titles, log } = await run(buttons('A'), 'Click "A", then juggle "B"');
  expect(end?.reason).toContain('can\'t be understood: juggle "B"');
  expect({ titles, log }).toEqual({ titles: [], log: '' });
});

describe('secrets', () => {
  const html = form('<label>Password <input type="password" name="p"></label>', 'Log in');
  const secrets = { SHOP_PASSWORD: 'hunter2' };
  // The last test may have left it on a host that gets none.
  beforeEach(() => page.goto('about:blank'));

  it.each(['<secret>SHOP_PASSWORD</secret>', '"SHOP_PASSWORD"'])('types %s', async name => {
    const goal = `Enter ${name} into "Password" and click "Log in"`;
    const { log, titles } = await run(html, goal, { secrets });
    expect(log).toBe('p=hunter2');
    expect(titles.join()).not.toContain('hunter2');
  });

  it.each([
    ['Wait for "SHOP_PASSWORD"', /the goal names the secret "SHOP_PASSWORD", but it was never typed/],
    ['Enter <secret>OTHER</secret> into "Password"', /taskproof\.secrets has no secret "OTHER"/],
  ])('says that one was not used: %s', async (goal, reason) => {
    expect((await run(`${html}<p>SHOP_PASSWORD</p>`, goal, { secrets })).end?.reason).toMatch(reason);
  });
});

it('stops when it is told to', async () => {
  const controller = new AbortController();
  controller.abort(new Error('time is up'));
  await expect(run(buttons('A'), 'Click "A"', { signal: controller.signal })).rejects.toThrow('time is up');
});

it('lets the turn limit end it', async () => {
  await expect(run(buttons('A', 'B'), 'Click "A", then click "B"', { maxSteps: 1 })).rejects.toThrow(/turn/);
});
