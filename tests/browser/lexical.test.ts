// The lexical agent on small pages, one or more for each promise of docs/lexical.md. Every page keeps what was done in
// `document.body.dataset`, which is what is looked at in the end.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lexical } from '../../src/agents/lexical';
import { agentTask, type TaskInput } from '../support/agent-task';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';
import { usedPages } from '../support/used-pages';

let browser: Browser;
const pages = usedPages(() => browser);
let page: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => leaveSharedBrowser());
beforeEach(async () => {
  page = await pages.take();
});

const LOG =
  '<script>log = text => { document.body.dataset.log = [document.body.dataset.log, String(text)].filter(part => part).join(",") }</script>';

/** Runs the agent on a page and resolves to what the page logged, the titles of the turns and how it ended. */
async function run(html: string, goal: string, options: Partial<TaskInput> = {}, actionTimeoutMs = 2000) {
  await page.setContent(`<!doctype html>${LOG}<body>${html}`);
  const task = agentTask(page, { goal, ...options });
  const end = await lexical({ actionTimeoutMs })
    .run(task)
    .finally(() => task.session.dispose());
  const log = await task.page.evaluate(() => document.body.dataset.log ?? '');
  return { log, titles: task.titles, end: end ?? null };
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

describe('does what it says', () => {
  it.each([
    ['Click the "No" button', buttons('Not now', 'no', 'No'), 'No'],
    ['Click "sign in"', buttons('Sign up', 'Sign in'), 'Sign in'],
    ['Click "Delete"', buttons('Delete account'), 'Delete account'],
    ['Click "Edit" in the row "Bob"', `<table>${row('Alice')}${row('Bob')}</table>`, 'Bob'],
    ['Click the 2nd "Edit"', `<table>${row('Alice')}${row('Bob')}</table>`, 'Bob'],
    ['Click "Buy"', '<span onclick="log(1)">Buy</span>', '1'],
    ['Check "Hosta"', pressed(false), 'true'],
    ['Uncheck "Hosta"', pressed(true), 'false'],
    ['Check "Hosta" and click "Buy"', pressed(true) + buttons('Buy'), 'Buy'],
    ['Double-click "Cell"', '<p ondblclick="log(2)">Cell</p>', '2'],
    ['Enter "Jo" into "Name" and click "Submit"', form('<label>Name <input name="a"></label>'), 'a=Jo'],
    ['Enter "Jo" into "Name" and press Enter', form('<input name="a" placeholder="Name">'), 'a=Jo'],
    ['Enter "x" into City and press Submit', form('<table><tr><th>City<td><input name="b"></table>'), 'b=x'],
    [
      'Enter "x" into "City", "y" into "Zip" and press Submit',
      form(`${apart('City', '<input name="b">')}${apart('Zip *', '<input name="c" placeholder="0000">')}`),
      'b=x&c=y',
    ],
    [
      'Enter "2026-03-14" into "Day" and click "Submit"',
      form('<label>Day <input type="date" name="d"></label>'),
      'd=2026-03-14',
    ],
    [
      'Enter 10/04/2013 into "Day", enter 4:08 PM into "Hour" and click "Submit"',
      form('<label>Day <input type="date" name="d"></label><label>Hour <input type="time" name="h"></label>'),
      'd=2013-10-04&h=16:08',
    ],
    [
      'Select "A" and "C" from "Letters", click "Submit"',
      form('<label>Letters <select multiple name="l"><option>A<option>B<option>C</select></label>'),
      'l=A&l=C',
    ],
    [
      'Enter "hunter" into "Password" and click "Submit"',
      form('<label>Password <input type="password" name="p"></label>'),
      'p=hunter',
    ],
    [
      'Select "Red" from "Colour", click "Submit"',
      form('<label>Colour <select name="c"><option>Blue<option>Red</select></label>'),
      'c=Red',
    ],
    [
      'Select "Red" from "Colours", click "Submit"',
      form(
        '<input aria-label="Filter the colours"><select name="c" aria-label="All colours"><option>Blue<option>Red</select>',
      ),
      'c=Red',
    ],
    [
      'Sort by "Price" and click "Submit"',
      form('<select name="c"><option>Name<option>Price</select>'),
      'c=Price',
    ],
    ['Check "Mail" and click "Submit"', form('<label><input type="checkbox" name="m"> Mail</label>'), 'm=on'],
    [
      'Uncheck "Mail" and click "Submit"',
      form('<label><input type="checkbox" name="m" checked> Mail</label>'),
      '',
    ],
    [
      'Check "Mail" and click "Submit"',
      form('<input id="m" type="checkbox" name="m" style="display:none"><label for="m">Mail</label>'),
      'm=on',
    ],
    [
      'Toggle "Mail" and click "Submit"',
      form('<input id="m" type="checkbox" name="m" style="display:none"><label for="m">Mail</label>'),
      'm=on',
    ],
    [
      'Choose "L" and click "Submit"',
      form(
        '<label><input type="radio" name="r" value="l"> L</label><label><input type="radio" name="r" value="m"> M</label>',
      ),
      'r=l',
    ],
    [
      'Search for "fern"',
      `<input type="search" onkeydown="if (event.key === 'Enter') log(this.value)">`,
      'fern',
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
      'Click "OK"',
      `${buttons('OK')}<div role="dialog" aria-label="Sure?" style="position:fixed;top:50px"><button onclick="log('dialog')">OK</button></div>`,
      'dialog',
    ],
    [
      'Click "Delete" and confirm the dialog with "Yes"',
      `<button onclick="d.hidden = false">Delete</button><div id="d" role="dialog" aria-label="Sure?" hidden>${buttons('No', 'Yes')}</div>`,
      'Yes',
    ],
    [
      'Close the "News" dialog',
      `<div role="dialog" aria-label="News"><button aria-label="Close" onclick="log('closed')">x</button></div>`,
      'closed',
    ],
    [
      'Reject the optional cookies',
      `<div>Cookies ${buttons('Accept all', 'Reject all')}</div>`,
      'Reject all',
    ],
    [
      'Click "Inside"',
      `<iframe srcdoc="<button onclick='parent.document.body.dataset.log = 1'>Inside</button>"></iframe>`,
      '1',
    ],
    ['Check that "Saved" is shown', '<p>Saved</p>', ''],
    ['Read "Care"', '<details ontoggle="log(this.open)"><summary>Care</summary>Water</details>', 'true'],
    ['Find "Fern" and open it', buttons('Fern', 'Moss'), 'Fern'],
    [
      'Double-click "Water"',
      `<svg><g ondblclick="log('node')"><rect width="120" height="30"/><text x="9" y="20" style="pointer-events:none">Water</text></g></svg>`,
      'node',
    ],
    ['Click "Buy"', '<div onclick="log(1)"><span style="pointer-events:none">Buy</span></div>', '1'],
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
    [
      'Click "add" next to "field name"',
      `<form onsubmit="return false">${['tag', 'field'].map(of => `<div><input placeholder="${of} name"><button onclick="log('${of}')">add</button></div>`).join('')}</form>`,
      'field',
    ],
  ])('%s', async (goal, html, log) => {
    expect(await runPatiently(html, goal)).toMatchObject({ log, end: null });
  });

  it('waits for what comes late, and finds again what is rendered anew', async () => {
    const html = `<div id="x"></div><script>
      // Not between press and release: then there is no click, for people neither.
      show = () => { x.innerHTML = '<button onmousedown="show = () => {}" onclick="log(1)">Go on</button>' };
      for (const ms of [300, 350, 400]) setTimeout(() => show(), ms);
    </script>`;
    expect(await runPatiently(html, 'Click "Go on"')).toMatchObject({ log: '1', end: null });
  });

  it('waits longer for a page that is still drawing', async () => {
    const html = `<div id="x"></div><script>
      draw = (left) => { x.innerHTML += left ? '<i></i>' : '<button onclick="log(1)">Drawn</button>'; if (left) setTimeout(draw, 350, left - 1) };
      draw(8);
    </script>`;
    expect(await runPatiently(html, 'Click "Drawn"')).toMatchObject({ log: '1', end: null });
  });

  it('types keys that a filter hears', async () => {
    const html = `<label>Filter <input onkeyup="log(event.key)"></label>`;
    expect((await runPatiently(html, 'Enter "ab" into "Filter"')).log).toBe('a,b');
  });
});

describe('a large page', () => {
  // Boxes in boxes, as applications draw them.
  const boxes = (inside: string, depth: number): string =>
    depth ? `<div><div><button>More</button></div><div>${boxes(inside, depth - 1)}</div></div>` : inside;
  const adds = ['tag', 'field'].map(
    of => `<div><input placeholder="${of} name"><button onclick="log('${of}')">add</button></div>`,
  );
  const html = `${boxes('<i>x</i>', 30).repeat(4)}${boxes(adds.join(''), 30)}`;

  it('is read in time: the smallest of many boxes', async () => {
    const goal = 'Click "add" next to "field name"';
    expect(await runPatiently(html, goal)).toMatchObject({ log: 'field', end: null });
  });
});

describe('a slow site', () => {
  it('is not clicked again while it works on a click', async () => {
    const html = `<button onclick="log(1); for (const end = Date.now() + 3000; Date.now() < end; );">Go</button>`;
    expect(await runPatiently(html, 'Click "Go"')).toMatchObject({ log: '1', end: null });
  });

  it('is clicked once, also if it was busy before the press', async () => {
    const busy =
      'if (!window.moved) for (const end = Date.now() + 3000; Date.now() < end; ); window.moved = true';
    const html = `<button onmousemove="${busy}" onclick="log(1)">Go</button>`;
    expect(await runPatiently(html, 'Click "Go"')).toMatchObject({ log: '1', end: null });
  });

  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/slow')
        setTimeout(() => response.end('<h1>Arrived</h1><button>Next</button>'), 3_000);
      else response.end('<a href="/slow">Slow</a>');
    });
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  it.each(['Click "Slow"', 'Click "Slow" and check that "Arrived" is shown'])(
    'is waited for after a click, longer than the click itself may take: %s',
    async goal => {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const task = agentTask(page, { goal });
      expect(await lexical({ actionTimeoutMs: 500 }).run(task)).toBeUndefined();
      task.session.dispose();
      expect(page.url()).toMatch(/\/slow$/);
    },
  );
});

describe('dialogs of the browser', () => {
  const html = `<button onclick="log(confirm('Sure?'))">Delete</button><button onclick="log(prompt('Name?'))">Rename</button>`;
  it.each([
    ['Click "Delete" and confirm the dialog with "OK"', 'true'],
    ['Click "Delete" and dismiss the dialog', 'false'],
    ['Click "Delete"', 'false'],
    ['Click "Rename" and accept the prompt with "Bob"', 'Bob'],
  ])('%s', async (goal, log) => {
    expect(await runPatiently(html, goal)).toMatchObject({ log, end: null });
  });

  it('says that none opened', async () => {
    const { end } = await run(buttons('Delete'), 'Click "Delete" and confirm the dialog');
    expect(end?.reason).toContain('no dialog opened');
  });
});

describe('what lies over the target', () => {
  const over = (inner: string) =>
    `${buttons('Save')}<div style="position:fixed;inset:0;background:#fff8">${inner}</div>`;

  it('is closed by its plain way, without agreeing to anything', async () => {
    const gone = (name: string) =>
      `<button onclick="log('${name}'); this.parentElement.remove()">${name}</button>`;
    expect(
      await run(over(`Cookies ${gone('Accept all')}${gone('Reject all')}`), 'Click "Save"'),
    ).toMatchObject({
      log: 'Reject all,Save',
      end: null,
    });
  });

  // The tour of a first visit to a flow editor: the popover stands beside the shade, and its button has no name.
  const tour = (close: string) => `${buttons('Save')}
    <div class="red-ui-tourGuide-shade" style="position:fixed;inset:0;background:#0008"></div>
    <div class="red-ui-popover" style="position:absolute;top:90px;left:90px;background:#fff"><h2>Welcome</h2>
      <button>Next</button>${close}</div>
    <script>end = () => { log('end'); document.querySelectorAll('[class*=red-ui]').forEach(part => part.remove()) }</script>`;
  const icon = '<i class="fa fa-times" style="display:block;width:9px;height:9px"></i>';

  it.each([
    ['an icon', `<button class="red-ui-button red-ui-tourGuide-close" onclick="end()">${icon}</button>`],
    ['a cross', '<button onclick="end()">×</button>'],
    ['a word', '<a onclick="end()">Skip the tour</a>'],
    [
      'the name of another element',
      '<b id="shut">Close</b> <button aria-labelledby="shut" onclick="end()">?</button>',
    ],
    [
      'a picture',
      '<button onclick="end()"><img alt="Skip" src="data:," style="width:20px;height:20px"></button>',
    ],
    [
      'a button in a shadow root',
      '<span id="deep"></span><script>deep.attachShadow({ mode: "open" }).innerHTML = "<button onclick=end()>Close</button>"</script>',
    ],
  ])('is closed by %s beside it', async (_, close) => {
    expect(await run(tour(close), 'Click "Save"')).toMatchObject({ log: 'end,Save', end: null });
  });

  it('is not closed by a button that it covers', async () => {
    const html = `${tour('')}<button class="close" onclick="end()">${icon}</button><button onclick="end()">Close</button>`;
    const { end, log } = await run(html, 'Click "Save"');
    expect(end?.reason).toMatch(/red-ui-tourGuide-shade.*covers it, and no button on it/);
    expect(log).toBe('');
  });

  it('is closed where all of it is in a shadow root', async () => {
    const html = `${buttons('Save')}<span id="host"></span><script>host.attachShadow({ mode: 'open' }).innerHTML =
      '<div style="position:fixed;inset:0;background:#fff8"><button onclick="host.remove(); log(1)">Close</button></div>'</script>`;
    expect(await run(html, 'Click "Save"')).toMatchObject({ log: '1,Save', end: null });
  });

  it('is gone when there are two, one over the other', async () => {
    const close = `<button aria-label="Close" onclick="this.parentElement.remove()">x</button>`;
    const layer = `<div style="position:fixed;inset:0;background:#fff8">${close}</div>`;
    expect(await run(buttons('Save') + layer + layer, 'Click "Save"')).toMatchObject({
      log: 'Save',
      end: null,
    });
  });

  it('is closed by Escape where it has no button', async () => {
    const html = over(
      '<script>addEventListener("keydown", event => { log(event.key); document.querySelector("div").remove() })</script>',
    );
    expect(await run(html, 'Click "Save"')).toMatchObject({ log: 'Escape,Save', end: null });
  });

  it('is not clicked in the place of a text that lets the mouse through', async () => {
    const html = `<div><span style="pointer-events:none">Buy</span><div onclick="log(1)" style="position:fixed;inset:0">Please wait</div></div>`;
    const { end, log } = await run(html, 'Click "Buy"');
    expect(end?.reason).toContain('Please wait');
    expect(log).toBe('');
  });

  const still = (element: string) => `<div onclick="log('list')" style="width:200px">${element}</div>`;

  it('is no overlay where a field leaves its clicks to the part around it', async () => {
    const html = still('<input readonly aria-label="Colour" style="pointer-events:none">');
    expect(await run(html + buttons('Blue'), 'Choose "Blue" from "Colour"')).toMatchObject({
      log: 'list,Blue',
      end: null,
    });
  });

  it('is no overlay where a button takes no clicks', async () => {
    const { end, log } = await run(
      still('<button style="pointer-events:none">Save</button>'),
      'Click "Save"',
    );
    expect(end?.reason).toMatch(/: it takes no clicks \(pointer-events: none\)$/);
    expect(log).toBe('');
  });

  it('is named where it has none', async () => {
    const { end, log } = await run(over('Please wait for ever'), 'Click "Save"');
    expect(end?.reason).toContain('Please wait for ever');
    expect(log).toBe('');
  });
});

describe('gives up', () => {
  it.each([
    [
      'Click "Dependencies"',
      '<div role="tablist"><button role="tab">Readme</button><button role="tab">Versions</button></div>',
      /nothing called "Dependencies" on .*; there are tabs "Readme", "Versions"$/,
    ],
    ['Click "Edit"', `<table>${row('Alice')}${row('Bob')}</table>`, /two things are called "Edit"/],
    // The field after the heading has a label of its own.
    ['Enter "Jo" into "Name"', '<h2>Name</h2><label>City <input></label>', /nothing called "Name"/],
    [
      'Click "Rename File"',
      buttons(
        'New File',
        'Open File',
        'Save File',
        'Print File',
        'Close File',
        'Lock File',
        'Rename JSON File',
      ),
      /there are buttons "Rename JSON File", "New File"/,
    ],
    [
      'Select "Green" from "Colour"',
      '<label>Colour <select><option>Blue<option>Red</select></label>',
      /no option "Green" in .*; there are "Blue", "Red"$/,
    ],
    ['Enter "Jo" into "Name"', '<label>Name <input readonly></label>', /it is read-only$/],
    [
      'Enter "Jo" into "New name"',
      `${buttons('new name')}<hr><input value="New name"><input placeholder="tag"><input>`,
      /nothing called "New name" to type into on .*; there are textboxes one without a name, "tag"$/,
    ],
    [
      'Click "Edit" in the row "Eve"',
      `<table>${row('Alice')}${row('Bob')}</table>`,
      /nothing called "Edit" beside "Eve" on .*; there are buttons "Edit"$/,
    ],
    ['Upload "package.json" to "Import"', buttons('Import'), /it opens no file dialog$/],
    [
      'Click "Go" and check that "Saved" is shown',
      buttons('Go'),
      /check that "Saved" is shown \(2 of 2\): nothing called "Saved"/,
    ],
  ])('%s', async (goal, html, reason) => {
    expect((await run(html, goal)).end?.reason).toMatch(reason);
  });

  it('before any turn where a clause is not understood', async () => {
    const { end, titles, log } = await run(buttons('A'), 'Click "A", then juggle "B"');
    expect(end?.reason).toContain('can\'t be understood: juggle "B"');
    expect({ titles, log }).toEqual({ titles: [], log: '' });
  });
});

describe('secrets', () => {
  const html = form('<label>Password <input type="password" name="p"></label>', 'Log in');
  const secrets = { SHOP_PASSWORD: 'hunter2' };

  it.each([
    'Enter <secret>SHOP_PASSWORD</secret> into "Password" and click "Log in"',
    'Enter "SHOP_PASSWORD" into "Password" and click "Log in"',
  ])('types %s', async goal => {
    const { log, titles } = await run(html, goal, { secrets });
    expect(log).toBe('p=hunter2');
    expect(titles.join()).not.toContain('hunter2');
  });

  it.each([
    ['Click "Log in" with <secret>SHOP_PASSWORD</secret>', /SHOP_PASSWORD/],
    ['Click "Log in" with SHOP_PASSWORD', /SHOP_PASSWORD/],
    ['Enter <secret>OTHER</secret> into "Password"', /taskproof\.secrets has no secret "OTHER"/],
  ])('says that one was not used: %s', async (goal, reason) => {
    expect((await run(html, goal, { secrets })).end?.reason).toMatch(reason);
  });
});

describe('limits', () => {
  it('stops when it is told to', async () => {
    const controller = new AbortController();
    controller.abort(new Error('time is up'));
    await expect(run(buttons('A'), 'Click "A"', { signal: controller.signal })).rejects.toThrow('time is up');
  });

  it('lets the turn limit end it', async () => {
    await expect(run(buttons('A', 'B'), 'Click "A", then "B"', { maxSteps: 1 })).rejects.toThrow(
      'All 1 turns',
    );
  });
});
