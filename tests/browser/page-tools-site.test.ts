// The tools that the example site offers: they do what its pages do.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startSite } from '../../example-tasks/site/server.mjs';
import { PageTools } from '../../src/browser/page-tools/page-tools';
import { problemOfSchema } from '../../src/browser/page-tools/tool-input';
import { Session } from '../../src/browser/session/session';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';

let site: Awaited<ReturnType<typeof startSite>>;
let browser: Browser;
beforeAll(async () => {
  site = await startSite({ port: 0 });
  browser = await sharedBrowser('--enable-features=WebMCP');
});
afterAll(async () => {
  await leaveSharedBrowser();
  await site.close();
});

async function open(path: string) {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(site.url + path);
  const session = new Session(context, page);
  const tools = new PageTools(session, ['127.0.0.1']);
  const textOf = async (name: string, input: object) => JSON.stringify(await tools.call(page, name, input));
  return { page, tools, session, textOf };
}

it('each is described, with a schema that can be checked', async () => {
  const list = await (await open('/support')).tools.list();
  expect(list.map(({ name }) => name).sort()).toEqual([
    'add_to_cart',
    'search_products',
    'start_trial',
    'write_to_us',
  ]);
  for (const { inputSchema, name } of list) expect(problemOfSchema(inputSchema), name).toBeUndefined();
});

it('a product is found and put into the basket, or refused', async () => {
  const { page, textOf } = await open('/shop');
  expect(await textOf('search_products', { words: 'boston' })).toContain('boston-fern');
  expect(await textOf('add_to_cart', { slug: 'snake-plant', size: 'medium', quantity: 2 })).toContain(
    'added',
  );
  await page.getByRole('link', { name: 'Basket, 2 items' }).waitFor();
  expect(await textOf('add_to_cart', { slug: 'no-plant', size: 'medium', quantity: 2 })).toContain(
    '"isError":true',
  );
});

it('a trial is started, and its page opens', async () => {
  const { page, tools } = await open('/');
  const trial = { plan: 'team', email: 'mira@northwind.example', company: 'Northwind', size: '6-20' };
  await expect(tools.call(page, 'start_trial', trial)).rejects.toThrow(/terms/);
  await tools.call(page, 'start_trial', { ...trial, terms: true });
  await page.waitForURL('**/trial/welcome');
});

it('a message is filled in, and sent by the button', async () => {
  const { page, tools } = await open('/support');
  const message = {
    topic: 'delivery',
    email: 'mira@northwind.example',
    message: 'The pot is broken.',
    reply: 'email',
  };
  await tools.call(page, 'write_to_us', message);
  await page.evaluate("document.querySelector('#support [type=submit]').click()");
  await page.getByRole('heading', { name: 'Message sent' }).waitFor({ state: 'attached' });
});
