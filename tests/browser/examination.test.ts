// The examination as a part of a trial: when it is made, what the record and the report get of it, and what it may cost.
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SessionTask } from '../../src/agents/agent';
import { openSession } from '../../src/browser/session/session';
import { trialRecordSchema } from '../../src/data/record';
import { EXAMINATION_MS } from '../../src/trial/examine';
import { imageInfo } from '../support/messages-api/tokens';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { type Site, startSite } from '../support/two-sites';

const STEP = "look for what stood in the agent's way";
let browser: Browser;
let context: BrowserContext;
let page: Page;
let site: Site;
let html: string;

beforeAll(async () => {
  browser = await sharedBrowser();
  site = await startSite('localhost', () => ({
    body: `<!doctype html><html lang="en"><title>Shop</title><body>${html}`,
  }));
});
afterAll(async () => {
  await leaveSharedBrowser();
  await site.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

interface Input {
  run?(task: SessionTask): Promise<unknown>;
  goal?: string;
  selector?: string;
  secrets?: Record<string, string>;
}

/** A trial that passes if the page has an element of the selector. */
async function runTrial({ run, goal = 'Go.', selector = '.never', secrets = {} }: Input) {
  const opened = await openSession(page, ['localhost']);
  const assertion = { type: 'dom', selector, state: 'attached' };
  const entryUrl = `${site.origin}/shop?q=1#top`;
  const attached = new Map<string, Buffer>();
  const took = new Map<string, number>();
  const output = {
    async step(title: string, body: (attach: unknown) => Promise<unknown>) {
      const begun = performance.now();
      const attach = async (name: string, image: Buffer) => void attached.set(name, image);
      return body(attach).finally(() => took.set(title, performance.now() - begun));
    },
  };
  const input = { entryUrl, assertion, run, goal, expectTimeoutMs: 300, secrets };
  const record = await playTrial(opened, input, output);
  await opened.close();
  return { record, attached, took };
}

const ICON = '<a href="/cart" class="icon-cart" style="display:block;width:50px;height:30px"></a>';
const OTHER = '<footer><input></footer>';
const clickIcon = (task: SessionTask) =>
  task.turn('click the cart', async turn => {
    await turn.record({ do: 'hover' }, task.page.locator('.icon-cart'));
    await task.page.hover('.icon-cart');
  });

it('finds what the last turns used, counts the rest, and shows a picture of it', async () => {
  html = ICON + OTHER;
  const { record, attached } = await runTrial({ run: clickIcon });
  expect(record).toMatchObject({
    outcome: 'failed',
    examination: {
      path: '/shop',
      findings: [
        {
          ...{ kind: 'no_name', locator: `locator('.icon-cart')`, text: 'link without a name' },
          ...{ relevant: true, screenshot: 'in-the-way-1.jpg' },
        },
        { kind: 'no_label', text: 'textbox without a label', relevant: false },
      ],
      others: 1,
    },
  });
  expect(record.examination).not.toHaveProperty('incomplete');
  expect(imageInfo(attached.get('in-the-way-1.jpg')!)).toMatchObject({
    mediaType: 'image/jpeg',
    width: 98,
    height: 78,
  });
  expect(trialRecordSchema.shape.examination.parse(record.examination)).toEqual(record.examination);
});

it('finds what the agent gave up on', async () => {
  html = `<button>Pay</button><div class="sale" style="position:fixed;inset:0;background:#eee">Sale</div>${OTHER}`;
  const { record } = await runTrial({
    run: async () => ({ status: 'gave_up', reason: 'the button "Pay" is not to be clicked' }),
  });
  expect(record.examination!.findings.filter(({ relevant }) => relevant)).toMatchObject([
    {
      kind: 'covered',
      text: 'button "Pay" and 1 more are covered by div.sale "Sale", which has nothing to close it',
    },
  ]);
});

it('finds a field that does not keep what is typed into it, and none that does', async () => {
  html = `<label>City <input name="city" oninput="this.value = ''"></label><label>Land <input name="land"></label>`;
  const fill = (name: string, text: string) => (task: SessionTask) =>
    task.turn(name, async turn => {
      const field = task.page.locator(`[name=${name}]`);
      await turn.record({ do: 'fill', text }, field);
      await field.fill(text);
    });
  const { record } = await runTrial({
    run: async task => {
      await fill('city', 'Utrecht')(task);
      await fill('land', 'x')(task);
      await fill('land', '')(task);
    },
  });
  expect(record.examination!.findings).toMatchObject([
    { kind: 'disabled', text: 'textbox "City" does not keep what is typed into it', relevant: true },
  ]);
});

it.each([
  ['passed', { selector: 'input' }, 'passed'],
  ['says nothing about the site', { run: () => Promise.reject(new Error('no')) }, 'error'],
])('is not made of a trial that %s', async (_, input, outcome) => {
  html = OTHER;
  const { record, took } = await runTrial(input);
  expect(record).toMatchObject({ outcome, examination: null });
  expect(took.has(STEP)).toBe(false);
});

it.each<[string, string, (task: SessionTask) => Promise<unknown>]>([
  [
    'hangs',
    '',
    task =>
      task.page.evaluate(
        () =>
          void setTimeout(() => {
            for (;;);
          }, 200),
      ),
  ],
  [
    'goes away all the time',
    '<script>setTimeout(() => location.reload(), 100)</script>',
    async () => undefined,
  ],
])('costs no more than its time where the page %s', async (_, body, run) => {
  html = body;
  const { record, took } = await runTrial({ run: async task => void (await run(task)) });
  expect(record.outcome).toBe('failed');
  // The bound, and a moment for a machine that is busy.
  expect(took.get(STEP) ?? 0).toBeLessThan(EXAMINATION_MS + 3_000);
});

it('costs the record nothing where the page is closed', async () => {
  html = ICON;
  const { record } = await runTrial({ run: task => task.page.close() });
  expect(record.examination).toBeNull();
});

it('keeps secrets and long texts out', async () => {
  html = `<input class="hunter2secret"><button disabled class="hunter2secret">hunter2secret ${'x'.repeat(5_000)}</button>`;
  const { record } = await runTrial({ secrets: { PASSWORD: 'hunter2secret' } });
  const text = JSON.stringify(record.examination);
  expect(record.examination!.findings.length).toBeGreaterThan(0);
  expect(text).not.toContain('hunter2secret');
  expect(text).toContain('<secret>PASSWORD</secret>');
  for (const { text, locator } of record.examination!.findings)
    expect(Math.max(text.length, locator.length)).toBeLessThanOrEqual(300);
});
