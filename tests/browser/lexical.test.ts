// The lexical agent on small pages, one or more for each family of tasks. Every page keeps what was done in
// `document.body.dataset`, which is what is looked at in the end.

import type { EventEmitter } from 'node:events';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { lexical } from '../../src/agents/lexical';
import { agentTask, type TaskInput } from '../support/agent-task';

let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
});
afterAll(() => browser.close());
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

const LOG =
  '<script>const log = text => { document.body.dataset.log = [document.body.dataset.log, String(text)].filter(part => part).join(",") }</script>';

/** Runs the agent on a page and resolves to what the page logged, the titles of the turns and how it ended. */
async function run(html: string, goal: string, options: Partial<TaskInput> = {}) {
  await page.setContent(`<!doctype html>${LOG}<body>${html}`);
  const task = agentTask(page, { goal, ...options });
  const end = await lexical({ patienceMs: 300 }).run(task);
  const log = await task.page.evaluate(() => document.body.dataset.log ?? '');
  return { log, titles: task.titles, end: end ?? null };
}

const buttons = (...names: string[]) =>
  names.map(name => `<button onclick="log(this.textContent)">${name}</button>`).join(' ');
const form = (fields: string, button = 'Submit') =>
  `<form onsubmit="event.preventDefault(); log([...new FormData(this)].map(pair => pair.join('=')).join('&'))">${fields}<button>${button}</button></form>`;
const boxes = (...names: string[]) =>
  names.map(name => `<label><input type="checkbox" name="c" value="${name}">${name}</label>`).join('<br>');

describe('buttons and links', () => {
  it.each([
    ['Click on the "No" button.', buttons('Yes', 'no', 'No', 'Not now'), 'No'],
    ['Click button ONE, then click button TWO.', buttons('TWO', 'ONE'), 'ONE,TWO'],
    [
      'Click the 2nd "Edit" button',
      '<p><button onclick="log(1)">Edit</button><p><button onclick="log(2)">Edit</button>',
      '2',
    ],
    ['Log in', buttons('Register', 'Sign in'), 'Sign in'],
    [
      'Click the link "habitant."',
      '<p>habitant <a href="#" onclick="log(1)">habitant</a> <a href="#" onclick="log(2)">habitant.</a>',
      '2',
    ],
    [
      'Click the trash icon',
      '<span class="star" style="display:inline-block;width:16px;height:16px" onclick="log(\'star\')"></span><i class="fa-trash" style="display:inline-block;width:16px;height:16px" onclick="log(\'trash\')"></i>',
      'trash',
    ],
    [
      'Click the "Share" button on all posts by @sam',
      ['@kim', '@sam', '@sam']
        .map(
          (user, i) => `<article><b>${user}</b> wrote <button onclick="log(${i})">Share</button></article>`,
        )
        .join(''),
      '1,2',
    ],
    [
      'Delete the row of Bob',
      ['Ann', 'Bob']
        .map(name => `<li>${name} <button onclick="log('${name}')">Delete</button></li>`)
        .join(''),
      'Bob',
    ],
    [
      'Click "Go"',
      '<button style="display:none" onclick="log(0)">Go</button><div tabindex="0" onclick="log(1)">Go</div>',
      '1',
    ],
  ])('%s', async (goal, html, log) => {
    expect(await run(html, goal)).toMatchObject({ log, end: null });
  });

  it('tries the next one where the likeliest has no effect', async () => {
    const html = `<button>Show details</button><button onclick="log(1)">Show the details</button>`;
    expect((await run(html, 'Click "Show details"')).log).toBe('1');
  });
});

describe('lists and groups', () => {
  it.each([
    [
      'Select Norway from the list and click Submit',
      form('<select name="s"><option>Peru<option>Norway</select>'),
      's=Norway',
    ],
    [
      'Select Peru, Norway from the list and click Submit',
      form('<select multiple name="s"><option>Peru<option>Chad<option>Norway</select>'),
      's=Peru&s=Norway',
    ],
    ['Select ab, k7 and wk and click Submit', form(boxes('ab', 'cd', 'k7', 'wk')), 'c=ab&c=k7&c=wk'],
    ['Select nothing and click Submit', form(boxes('ab', 'cd')), ''],
    [
      'Select MU and click Submit',
      form(
        '<label><input type="radio" name="r" value="MU">MU</label> <label><input type="radio" name="r" value="M2">M2</label>',
      ),
      'r=MU',
    ],
    [
      'Check the 2nd radio button and click Submit',
      form('<input type="radio" name="r" value="1"><input type="radio" name="r" value="2">'),
      'r=2',
    ],
    [
      'Uncheck "Mail" and click Submit',
      form(
        '<label><input type="checkbox" name="a" checked>Mail</label><label><input type="checkbox" name="b" checked>Text</label>',
      ),
      'b=on',
    ],
    [
      'Check "Terms" and click Submit',
      form(
        '<input type="checkbox" id="t" name="t" style="display:none"><label for="t">I accept the terms</label>',
      ),
      't=on',
    ],
    [
      'Choose "Large" for the size and click Submit',
      form(
        '<select name="a"><option>Red<option>Large print</select><label>Size <select name="b"><option>Small<option>Large</select></label>',
      ),
      'a=Red&b=Large',
    ],
  ])('%s', async (goal, html, log) => {
    expect(await run(html, goal)).toMatchObject({ log, end: null });
  });

  it('opens a list that is no native one', async () => {
    const html = `<div role="combobox" tabindex="0" aria-expanded="false" onclick="list.hidden = false">Colour</div>
      <ul id="list" role="listbox" hidden><li role="option" onclick="log('red')">Red</li><li role="option" onclick="log('blue')">Blue</li></ul>`;
    expect(await run(html, 'Choose Blue from the list')).toMatchObject({ log: 'blue', end: null });
  });
});

describe('tabs, menus, sections', () => {
  const tabs = ['One', 'Two', 'Three']
    .map(
      (name, i) =>
        `<button role="tab" aria-selected="${i === 0}" onclick="for (const p of document.querySelectorAll('section')) p.hidden = p.id !== 'p${i}'">${name}</button>`,
    )
    .join('');

  it('switches between tabs', async () => {
    const html = `${tabs}<section id="p0"><a href="#" onclick="log('wrong')">sed</a></section><section id="p1" hidden>none</section><section id="p2" hidden><a href="#" onclick="log('right')">sed.</a></section>`;
    expect(await run(html, 'Switch between the tabs to find and click on the link "sed."')).toMatchObject({
      log: 'right',
      end: null,
    });
  });

  it('opens sections until it finds the link', async () => {
    const html = ['a', 'b', 'c']
      .map(
        name =>
          `<details><summary>Part ${name}</summary><a href="#" onclick="log('${name}')">to ${name}</a></details>`,
      )
      .join('');
    expect(await run(html, 'Click the link "to c"')).toMatchObject({ log: 'c', end: null });
  });

  it('opens sections that only a script and a cursor make', async () => {
    const html = `<h3 style="cursor:pointer" onclick="x.hidden = !x.hidden">More of it</h3><div id="x" hidden>${buttons('Submit')}</div>`;
    expect(await run(html, 'Expand the section below and click submit')).toMatchObject({
      log: 'Submit',
      end: null,
    });
  });

  it('follows a menu that opens under the mouse', async () => {
    const html = `<style>li ul { display: none } li:hover > ul { display: block }</style>
      <ul role="menu"><li role="menuitem">File<ul role="menu"><li role="menuitem" onclick="log('new')">New</li><li role="menuitem" onclick="log('export')">Export</li></ul></li><li role="menuitem" onclick="log('edit')">Edit</li></ul>`;
    expect(await run(html, 'Select File>Export')).toMatchObject({ log: 'export', end: null });
  });

  it('opens the menu in the row that the goal names', async () => {
    const html = ['@kim', '@lou', '@sam', '@pat']
      .map(
        user =>
          `<article><b>${user}</b> <button aria-haspopup="menu" onclick="this.nextElementSibling.hidden = false">⋯</button><span hidden><button onclick="log('${user}')">Block ${user}</button></span></article>`,
      )
      .join('');
    expect(await run(html, 'For the user @sam, click on the "Block" button')).toMatchObject({
      log: '@sam',
      end: null,
    });
  });

  it('walks a tree', async () => {
    const html = `<ul role="tree"><li role="treeitem" aria-expanded="false" onclick="x.hidden = false; this.setAttribute('aria-expanded', 'true')">Docs<ul id="x" hidden><li role="treeitem" onclick="log('plan'); event.stopPropagation()">Plan</li></ul></li></ul>`;
    expect(
      await run(html, 'Navigate through the file tree. Find and click on the file named "Plan"'),
    ).toMatchObject({ log: 'plan', end: null });
  });
});

describe('dialogs', () => {
  it('closes a dialog by its x', async () => {
    const html = `${buttons('OK')}<div role="dialog" aria-label="News">News <button onclick="log('closed'); this.parentElement.remove()">x</button></div>`;
    expect(await run(html, 'Close the dialog by clicking the "x"')).toMatchObject({
      log: 'closed',
      end: null,
    });
  });

  it('clears what lies over the page first, without agreeing to anything', async () => {
    const html = `${buttons('Save')}<div style="position:fixed;inset:0;background:#fff8">We use cookies <button onclick="log('accepted'); this.parentElement.remove()">Accept all</button><button onclick="log('rejected'); this.parentElement.remove()">Reject all</button></div>`;
    expect(await run(html, 'Click "Save"')).toMatchObject({ log: 'rejected,Save', end: null });
  });

  it.each([
    ['Click "Remove" and accept the question', 'true'],
    ['Click "Remove" and cancel the confirm dialog', 'false'],
  ])('answers the browser: %s', async (goal, log) => {
    expect((await run('<button onclick="log(String(confirm(\'Sure?\')))">Remove</button>', goal)).log).toBe(
      log,
    );
    expect((context as unknown as EventEmitter).listenerCount('dialog')).toBe(0);
  });

  it('goes on where a popup came up over the fields', async () => {
    const html = form(
      '<label>Name <input name="n" onfocus="if (!window.seen) { seen = true; pop.hidden = false; this.disabled = true }"></label><div id="pop" hidden style="position:absolute;inset:0;background:#eee">Leave? <button type="button" onclick="log(\'left\')">OK</button><button type="button" onclick="pop.hidden = true; document.querySelector(\'input\').disabled = false">Cancel</button></div>',
    );
    expect(await run(html, 'Enter "Jo" as the name and press Submit')).toMatchObject({
      log: 'n=Jo',
      end: null,
    });
  });
});

describe('fields', () => {
  it.each([
    ['Enter "Jo" into the text field and press Submit', form('<input name="a">'), 'a=Jo'],
    [
      'Type "jo" in all upper case letters in the text input and press Submit',
      form('<input name="a">'),
      'a=JO',
    ],
    [
      'Enter "x" into the 2nd textbox and click Submit',
      form('<input name="a"><input name="b"><input name="c">'),
      'a=&b=x&c=',
    ],
    [
      'Enter "x" into "City" and press Submit',
      form('<p>Name</p><input name="a"><p>City</p><input name="b">'),
      'a=&b=x',
    ],
    [
      'Enter "x" into City and press Submit',
      form('<table><tr><th>Name<td><input name="a"><tr><th>City<td><input name="b"></table>'),
      'a=&b=x',
    ],
    [
      'Fill in "Your message" with "Hi, there." and click Send',
      form(
        '<input name="a" placeholder="Name"><textarea name="b" placeholder="Your message"></textarea>',
        'Send',
      ),
      'a=&b=Hi, there.',
    ],
    [
      'Enter the password "p" into both text fields and press submit',
      form('<p>Password<input type="password" name="a"><p>Verify password<input type="password" name="b">'),
      'a=p&b=p',
    ],
    [
      'Enter the username "sam" and the password "p 1" into the text fields and press login',
      form(
        '<p><label>Username</label><input name="a"></p><p><label>Password</label><input type="password" name="b"></p>',
        'Login',
      ),
      'a=sam&b=p 1',
    ],
    ['Enter 11/05/2019 as the date and hit submit', form('<input type="date" name="a">'), 'a=2019-11-05'],
    ['Enter 4:08 PM as the time and press submit', form('<input type="time" name="a">'), 'a=16:08'],
    [
      'Set the quantity to 3 and click Submit',
      form('<input name="q"><label>Quantity <input type="number" name="n" value="1"></label>'),
      'q=&n=3',
    ],
    [
      'Search for western films directed by Ford from year 1956',
      form(
        '<p>Year: <input name="y"></p><p>Genre: <input name="g"></p><p>Director: <input name="d"></p>',
        'Search',
      ),
      'y=1956&g=western&d=Ford',
    ],
    ['Enter "Jo" into "Name"', form('<label>Name <input name="a"></label>'), 'a=Jo'],
  ])('%s', async (goal, html, log) => {
    expect(await run(html, goal)).toMatchObject({ log, end: null });
  });

  it('focuses by position', async () => {
    const html = '<input onfocus="log(1)"><input onfocus="log(2)"><input onfocus="log(3)">';
    expect((await run(html, 'Focus into the 2nd input textbox.')).log).toBe('2');
  });

  it('takes a suggestion', async () => {
    const html = `${form('<input name="a"><ul id="list"></ul>')}<script>
      const input = document.querySelector('input');
      const items = text => ['Georgia', 'Germany', 'Ghana'].filter(name => name.startsWith(text));
      const item = name => Object.assign(document.createElement('li'), { textContent: name, onclick: () => { input.value = name; list.replaceChildren() } });
      input.oninput = () => list.replaceChildren(...items(input.value).map(item));
    </script>`;
    const { log, titles } = await run(html, 'Enter an item that starts with "Ge" and ends with "ny"');
    expect({ log, titles }).toMatchObject({ log: 'a=Germany', titles: { length: 3 } });
  });

  it('turns a calendar to the day', async () => {
    const html =
      form(`<input name="d" readonly onclick="cal.hidden = false"><div id="cal" hidden><button type="button" onclick="show(-1)">‹</button> <b id="head"></b> <button type="button" onclick="show(1)">›</button><div id="days"></div></div>
      <script>let month = new Date(2016, 11, 1);
      function show(by) { month.setMonth(month.getMonth() + by); head.textContent = month.toLocaleString('en', { month: 'long', year: 'numeric' }); days.replaceChildren(...Array.from({ length: 28 }, (_, i) => Object.assign(document.createElement('button'), { type: 'button', textContent: i + 1, onclick: () => { document.querySelector('input').value = month.getMonth() + 1 + '-' + (i + 1); cal.hidden = true } }))) } show(0)</script>`);
    const { log, titles } = await run(html, 'Select 05/17/2016 as the date and hit submit.');
    expect(log).toBe('d=5-17');
    expect(titles).toContain('turn the calendar to 5/2016');
  });

  it('sets a slider by its keys', async () => {
    const html = `<div role="slider" tabindex="0" aria-label="Volume" aria-valuenow="0" onkeydown="this.setAttribute('aria-valuenow', +this.getAttribute('aria-valuenow') + (event.key === 'ArrowUp' ? 5 : -5)); log(this.getAttribute('aria-valuenow'))">0</div>`;
    expect((await run(html, 'Select 35 with the slider')).log.split(',').at(-1)).toBe('35');
  });

  it('types secrets and does not say them', async () => {
    const task = { secrets: { PASSWORD: 'hunter2' } };
    const { log, titles } = await run(
      form('<label>Password <input type="password" name="p"></label>', 'Log in'),
      'Log in with password <secret>PASSWORD</secret>',
      task,
    );
    expect(log).toBe('p=hunter2');
    expect(titles.join()).not.toContain('hunter2');
  });
});

describe('finding the way', () => {
  const SITE: Record<string, string> = {
    '/': '<h1>Home</h1><a href="/about">About us</a> <a href="/pricing">Plans and pricing</a> <a href="/blog">Blog</a>',
    '/about': '<h1>About</h1>',
    '/blog': '<h1>Blog</h1>',
    '/pricing': '<h1>Pricing</h1><h2>Team</h2> €12 <a href="/trial">Start your free trial</a>',
    '/trial': '<h1>Your trial</h1>',
    '/search': '<h1>Results</h1>',
    '/late':
      '<p id="x">Loading…</p><script>setTimeout(() => x.outerHTML = \'<a href="/trial">Go on</a>\', 400)</script>',
    '/tab': '<a href="/trial" target="_blank">Open trial</a>',
    '/frame':
      '<iframe srcdoc="<button onclick=\'parent.document.body.dataset.log = 1\'>Inside</button>"></iframe>',
    '/shadow':
      '<x-card></x-card><script>customElements.define("x-card", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<button>Inside</button>"; this.shadowRoot.firstChild.onclick = () => document.body.dataset.log = 1 } })</script>',
  };

  async function visit(path: string, goal: string, options: Partial<TaskInput> = {}) {
    await context.route('http://site.test/**', route => {
      const body = SITE[new URL(route.request().url()).pathname];
      return route.fulfill({
        status: body ? 200 : 404,
        contentType: 'text/html',
        body: `<!doctype html><body>${body ?? ''}`,
      });
    });
    await page.goto(`http://site.test${path}`);
    const task = agentTask(page, { goal, allowedDomains: ['site.test'], ...options });
    const end = await lexical({ patienceMs: 300 }).run(task);
    return {
      end: end ?? null,
      titles: task.titles,
      url: new URL(task.page.url()).pathname,
      log: await task.page.evaluate(() => document.body.dataset.log ?? ''),
    };
  }

  it('follows the link that sounds right', async () => {
    expect(await visit('/', 'Find the price of the Team plan and start a free trial')).toMatchObject({
      end: null,
      url: '/trial',
    });
  });

  it('goes back where a way is dead', async () => {
    const { titles, url, end } = await visit('/', 'Click "Start your blog trial"', { maxSteps: 12 });
    expect(titles).toContain('go back');
    expect({ url, end }).toEqual({ url: '/trial', end: null });
  });

  it('waits for what comes late', async () => {
    expect(await visit('/late', 'Click "Go on"')).toMatchObject({
      end: null,
      url: '/trial',
      titles: ['click link "Go on"'],
    });
  });

  it('goes on in a new tab', async () => {
    expect(await visit('/tab', 'Click "Open trial"')).toMatchObject({ end: null, url: '/trial' });
  });

  it.each(['/frame', '/shadow'])('looks into %s', async path => {
    expect(await visit(path, 'Click "Inside"')).toMatchObject({ end: null, log: '1' });
  });

  it('gives up where nothing fits, and says at what', async () => {
    const { end } = await visit('/about', 'Click "Buy a submarine"');
    expect(end).toEqual({
      status: 'gave_up',
      reason:
        'Stuck at "click Buy a submarine" (1 of 1): found nothing like "Buy a submarine", on http://site.test/about',
    });
  });

  it('turns the pages of a list', async () => {
    const html = `<ol id="list"></ol><a href="#" onclick="show(1)">&gt;</a><script>let at = 0; function show(by) { at += by; list.innerHTML = [1, 2, 3].map(i => '<li><a class="hit" href="#" onclick="log(' + (at * 3 + i) + ')">Result ' + 'abcdefghi'[at * 3 + i - 1] + '</a></li>').join('') } show(0)</script>`;
    expect((await run(html, 'Find and click the 7th search result.')).log).toBe('7');
  });
});

describe('limits', () => {
  const MAZE = ['p', 'q', 'r', 's']
    .map(
      name =>
        `<details><summary>${name}</summary><button onclick="log('${name}')">in ${name}</button></details>`,
    )
    .join('');

  it('does the same again with the same seed', async () => {
    const runs = [];
    for (const seed of [7, 7]) runs.push((await run(MAZE, 'Click "in the end"', { seed })).titles);
    expect(runs[0]!.length).toBeGreaterThan(3);
    expect(runs[1]).toEqual(runs[0]);
  });

  it('explores in another order with another seed', async () => {
    const orders = new Set<string>();
    for (const seed of [1, 2, 3, 4])
      orders.add((await run(MAZE, 'Click "in the end"', { seed })).titles.join());
    expect(orders.size).toBeGreaterThan(1);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    controller.abort(new Error('time is up'));
    await expect(run(MAZE, 'Click "in s"', { signal: controller.signal })).rejects.toThrow('time is up');
  });

  it('lets the turn limit end it', async () => {
    await expect(run(buttons('A', 'B'), 'Click "A", then "B"', { maxSteps: 1 })).rejects.toThrow(
      'All 1 turns',
    );
  });

  it('takes none of the turns that later instructions need', async () => {
    const { end, titles } = await run(`${MAZE}${buttons('Z')}`, 'Click "nowhere" and click "Z"', {
      maxSteps: 3,
    });
    expect(end).toMatchObject({ status: 'gave_up' });
    expect(titles.length).toBeLessThanOrEqual(2);
  });

  it('does not take the goal itself for a part of the page', async () => {
    const goal = 'Click on the word "gamma" to win.';
    const html = `<p>Click on the word "<b style="cursor:pointer" onclick="log('goal')">gamma</b>" to win.</p><p><span id="word">gamma</span></p>
      <script>word.addEventListener('click', () => log('word'))</script>`;
    expect((await run(html, goal)).log).toBe('word');
  });
});
