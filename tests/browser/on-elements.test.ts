// Pages that change what our code in pages needs: JavaScript's own objects and functions.
import type { Page } from '@playwright/test';
import { beforeEach, expect, it } from 'vitest';
import { lexical } from '../../src/agents/lexical';
import { callOn, callOnAll } from '../../src/browser/on-elements';
import { agentTask } from '../support/agent-task';
import { browserOfTests } from '../support/shared-browser';
import { usedPages } from '../support/used-pages';

const CHANGES = {
  'a function Map, as of a store locator': 'function Map() {}',
  'no Set': 'Set = undefined',
  'a filter that throws': 'Array.prototype.filter = () => { throw new Error("filter") }',
  'a getComputedStyle that throws': 'getComputedStyle = () => { throw new Error("style") }',
  'a JSON that lies': 'JSON.stringify = () => "[]"; JSON.parse = () => []',
};
const FORM = `<form onsubmit="event.preventDefault(); document.body.dataset.sent = this.n.value + ' in ' + this.c.value">
  <label>Name <input name="n"></label> <label>Country <select name="c"><option>DE</option><option>FR</option></select></label>
  <button>Go</button></form>`;

const pages = usedPages(browserOfTests());
let page: Page;
beforeEach(async () => {
  page = await pages.take();
  // What the last test has changed is gone with its document.
  await page.goto('about:blank');
});

it.each(Object.entries(CHANGES))('an agent is not kept from a form by %s', async (_, script) => {
  await page.setContent(`<!doctype html><script>${script}</script><body>${FORM}`);
  const goal = 'Enter "Ada" into "Name", select "FR" from "Country", click "Go".';
  const task = agentTask(page, { goal });
  const end = await lexical({ actionTimeoutMs: 2_000 })
    .run(task)
    .finally(() => task.session.dispose());
  expect(end).not.toHaveProperty('status');
  await expect.poll(() => page.locator('body').getAttribute('data-sent')).toBe('Ada in FR');
});

it('a call gets one element, or all of a locator, and each its own result', async () => {
  await page.setContent(`<!doctype html><body>${FORM}`);
  expect(await callOn(page.locator('select'), 'settable')).toMatchObject({
    tag: 'select',
    options: [{}, {}],
  });
  expect(await callOn(page.locator('input'), 'matches', "[name='c'], a > b")).toBe(false);
  expect(await callOn(page.locator('input'), 'matches', "[name='n']")).toBe(true);
  const handle = (await page.locator('button').elementHandle()) as never;
  expect(await callOn(handle, 'cssPathOf', undefined, 1_000, page)).toContain('button');
  const named = { place: undefined, nth: 1 };
  expect(await callOnAll(page.getByRole('option'), 'meant', named)).toEqual([1]);
  expect(await callOnAll(page.locator('label'), 'meant', named)).toEqual([1]);
  await expect(callOn(page.locator('label'), 'textAt')).rejects.toThrow('strict mode violation');
  await expect(callOn(page.locator('p'), 'textAt', undefined, 100)).rejects.toThrow('Timeout 100ms');
  await expect(callOn(page.locator('p'), 'textAt', undefined, 100)).rejects.not.toThrow('taskproof-call');
});

it('all are those that come later, too, in a frame as well', async () => {
  await page.setContent('<!doctype html><iframe srcdoc="<b>none yet</b>"></iframe>');
  const frame = page.locator('iframe').contentFrame();
  const meant = callOnAll(frame.locator('li'), 'meant', { nth: 2 }, 10_000);
  await frame.locator('body').evaluate(body => {
    setTimeout(() => {
      body.innerHTML = '<ul><li>a<li>b<li>c</ul>';
    });
  });
  expect(await meant).toEqual([2]);
});

it('a call does its work once', async () => {
  await page.setContent(`<!doctype html><body>${FORM}`);
  const field = page.locator('input');
  const key = { text: 'a', asKeys: false };
  await callOn(field, 'putText', key);
  await expect(field.inputValue()).resolves.toBe('a');
  await callOn((await field.elementHandle()) as never, 'putText', key, undefined, page);
  await expect(field.inputValue()).resolves.toBe('aa');
});

it.each([
  ['has no engine yet', { textContent: () => Promise.reject(new Error("undefined (reading 'queryAll')")) }],
  ['has another text in place of the answer', { textContent: async () => '{"tag":"page"}' }],
])('a document that %s is asked in its own world', async (_, answer) => {
  await page.setContent(`<!doctype html><body>${FORM}`);
  const select = page.locator('select');
  const asked = Object.assign(Object.create(select), { locator: () => answer });
  expect(await callOn(asked, 'settable')).toMatchObject({ tag: 'select' });
});
