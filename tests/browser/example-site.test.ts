// The example site: its pages, the tools that they offer, and the task of the experiment, carried out by the agent that guesses.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { guessing } from '../../example-tasks/guessing';
import { startSite } from '../../example-tasks/site/server.mjs';
import { PageTools, problemOfSchema } from '../../src/browser/page-tools/page-tools';
import { recordNetwork } from '../../src/browser/session/network';
import { Session } from '../../src/browser/session/session';
import { checkAssertion } from '../../src/grading/assertions';
import { AssertionFailure } from '../../src/grading/holds';
import { parseTaskSpec } from '../../src/spec';
import { agentTask } from '../support/agent-task';
import { browserOfTests } from '../support/shared-browser';

// The package need not be built for these tests.
vi.mock('@taskproof/playwright', () => import('../../src/agents/agent'));

let site: Awaited<ReturnType<typeof startSite>>;
const browser = browserOfTests('--enable-features=WebMCP');

beforeAll(async () => {
  site = await startSite({ port: 0 });
});
afterAll(() => site.close());

// The other tasks are played in claude/examples.test.ts. The fourth visitor gets the new page: lexical() plays the old one,
// and is lost on this one, in tests/e2e/docs.test.ts.
test('the task of the experiment holds when it is done, and not before', async () => {
  expect(readdirSync('example-tasks/experiment')).toEqual(['buy-monstera.yaml']);
  const source = readFileSync('example-tasks/experiment/buy-monstera.yaml', 'utf8')
    .replaceAll('http://127.0.0.1:4173', site.url)
    .replaceAll('{{trial}}', '4');
  const { goal, entryUrl, assertions } = parseTaskSpec(source);
  const context = await browser().newContext();
  const { events: network } = recordNetwork(context);
  const page = await context.newPage();
  const checkAll = async (timeoutMs: number) => {
    for (const assertion of assertions) await checkAssertion(assertion, { page, network, timeoutMs });
  };
  await page.goto(entryUrl, { waitUntil: 'networkidle' });
  await expect(checkAll(100)).rejects.toThrow(AssertionFailure);
  await guessing.run(agentTask(page, { goal }));
  await checkAll(10_000);
  await context.close();
});

test('the consent dialog covers the page until it is answered, and is not asked again', async () => {
  const page = await browser().newPage({ baseURL: site.url });
  await page.goto('/');
  const shop = page.getByRole('link', { name: 'Browse the shop' });
  const isOnTop = (link: Element) => {
    const { x, y, width, height } = link.getBoundingClientRect();
    return link.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  expect(await shop.evaluate(isOnTop)).toBe(false);
  const consent = page.waitForResponse('**/api/consent');
  await page.getByRole('button', { name: 'Accept all cookies' }).click();
  await consent;
  await page.reload();
  expect(await page.locator('#consent').evaluate(dialog => getComputedStyle(dialog).display)).toBe('none');
  expect(await shop.evaluate(isOnTop)).toBe(true);
  await shop.click();
  await page.waitForURL('**/shop');
  await page.close();
});

test('no page needs anything from elsewhere or breaks its own scripts', async () => {
  const context = await browser().newContext({ baseURL: site.url });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith(site.url)) problems.push(request.url());
  });
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text());
  });
  const paths = [
    '/',
    '/shop',
    '/products/calathea',
    '/cart',
    '/pricing',
    '/trial?plan=solo',
    '/docs',
    '/support',
  ];
  for (const path of [...paths, '/support/warranty', '/login'])
    await page.goto(path, { waitUntil: 'networkidle' });
  expect(problems).toEqual([]);
  await context.close();
});

/** A page, and the tools that it offers to agents. */
async function open(path: string) {
  const context = await browser().newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(site.url + path);
  const session = new Session(context, page);
  const tools = new PageTools(session, ['127.0.0.1']);
  const textOf = async (name: string, input: object) => JSON.stringify(await tools.call(page, name, input));
  return { page, tools, session, textOf };
}

test('each page tool is described, with a schema that can be checked', async () => {
  const list = await (await open('/support')).tools.list();
  expect(list.map(({ name }) => name).sort()).toEqual([
    'add_to_cart',
    'search_products',
    'start_trial',
    'write_to_us',
  ]);
  for (const { inputSchema, name } of list) expect(problemOfSchema(inputSchema), name).toBeUndefined();
});

test('by page tools, a product is found and put into the basket, or refused', async () => {
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

test('by page tools, a trial is started, and its page opens', async () => {
  const { page, tools } = await open('/');
  const trial = { plan: 'team', email: 'mira@northwind.example', company: 'Northwind', size: '6-20' };
  await expect(tools.call(page, 'start_trial', trial)).rejects.toThrow(/terms/);
  await tools.call(page, 'start_trial', { ...trial, terms: true });
  await page.waitForURL('**/trial/welcome');
});

test('by page tools, a message is filled in, and sent by the button', async () => {
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
