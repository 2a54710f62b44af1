// The examination as a part of a trial: when it is made, what the record and the report get of it, and what it may cost.
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import type { SessionTask } from '../../src/agents/agent';
import { trialRecordSchema } from '../../src/data/record';
import type { TrialResult } from '../../src/data/verdict';
import { EXAMINATION_MS } from '../../src/trial/examine';
import { PassingWays } from '../../src/verdicts/diagnosis/parting';
import { factsOf } from '../../src/verdicts/diagnosis/way';
import { hang } from '../support/hang';
import { imageInfo } from '../support/messages-api/tokens';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { siteOfTests } from '../support/two-sites';

const STEP = "look for what stood in the agent's way";
const open = sessionsOfTests(browserOfTests());
let html: string;

const site = siteOfTests('localhost', path =>
  path === '/never'
    ? { never: true }
    : {
        status: path === '/gone' ? 404 : 200,
        body: `<!doctype html><html lang="en"><title>Shop</title><body>${html}`,
      },
);

interface Input {
  run?(task: SessionTask): Promise<unknown>;
  goal?: string;
  selector?: string;
  secrets?: Record<string, string>;
  isFirstToPass?(): boolean;
  /** The page has a context of its own, and no other test after this one. */
  isOwn?: boolean;
  /** Changes the page, one of its own, before the trial. */
  change?(page: Page): void;
}

/** A trial that passes if the page has an element of the selector. */
async function runTrial({ goal = 'Go.', selector = '.never', isOwn, change, ...more }: Input) {
  const opened = await open({ own: isOwn || change ? {} : undefined });
  change?.(opened.page);
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
  // Only what never comes may be waited for shortly.
  const expectTimeoutMs = selector === '.never' ? 300 : 20_000;
  const input = { entryUrl, assertion, goal, expectTimeoutMs, secrets: {}, ...more };
  const record = await playTrial(opened, input, output);
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
          place: { control: 'link', x: 8, y: 8, width: 50, height: 30 },
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
  ['/gone', false],
  ['/there', true],
])(
  'is made of a page to which the agent itself went, unless the site does not have it: %s',
  async (url, isMade) => {
    html = ICON;
    const run = (task: SessionTask) =>
      task.turn(`go to ${url}`, async turn => {
        await turn.record({ do: 'goto', url });
        await task.page.goto(site.origin + url);
      });
    const { record, took } = await runTrial({ run });
    expect(record.outcome).toBe('failed');
    expect(took.has(STEP)).toBe(isMade);
  },
);

it.each([
  ['passed', { selector: 'input' }, 'passed'],
  ['passed after another', { selector: 'input', isFirstToPass: () => false }, 'passed'],
  ['says nothing about the site', { run: () => Promise.reject(new Error('no')) }, 'error'],
])('is not made of a trial that %s', async (_, input, outcome) => {
  html = OTHER;
  const { record, took } = await runTrial(input);
  expect(record).toMatchObject({ outcome, examination: null });
  expect(took.has(STEP)).toBe(false);
});

it('notes what the page of the first passing trial has, but no barrier that it overcame', async () => {
  const under = (name: string) =>
    `<div style="position:relative;height:40px"><button style="position:absolute">${name}</button>
      <i style="position:absolute;inset:0"></i></div>`;
  html = ICON + under('Pay') + under('Help');
  const { record, attached } = await runTrial({
    selector: '.icon-cart',
    goal: 'Click "Pay".',
    isFirstToPass: () => true,
    async run(task) {
      for (const name of ['pay', 'look', 'look again', 'and again'])
        await task.turn(name, async turn => {
          const pay = task.page.getByText('Pay');
          await turn.record({ do: name === 'pay' ? 'click' : 'hover' }, pay);
          if (name === 'pay') await pay.dispatchEvent('click');
        });
    },
  });
  expect(record).toMatchObject({ outcome: 'passed', examination: { path: '/shop' } });
  const kept = record.examination!.findings;
  expect(kept.map(({ text, relevant }) => [text, relevant])).toEqual([
    ['button "Help" is covered by i, which has nothing to close it', false],
    ['link without a name', false],
  ]);
  expect([...attached.keys()].filter(name => name.startsWith('in-the-way'))).toEqual([]);
});

it('keeps what the page said after a turn, once, though it is gone at the end', async () => {
  html = `<p class="error"></p><button onclick="const p = document.querySelector('p');
    p.textContent = 'Sold hunter2secret out'; window.addEventListener('over', () => { p.textContent = '' })">Add</button>`;
  const look = (task: SessionTask) => task.turn('look', async () => undefined);
  const { record } = await runTrial({
    secrets: { PASSWORD: 'hunter2secret' },
    async run(task) {
      await task.turn('add', () => task.page.getByRole('button').click());
      await look(task);
      await task.page.evaluate(() => dispatchEvent(new Event('over')));
      await look(task);
    },
  });
  expect(record.turns.map(({ said }) => said)).toEqual([
    ['Sold <secret>PASSWORD</secret> out'],
    ...[undefined, undefined],
  ]);
  expect(record.examination).not.toHaveProperty('said');
});

it.each([
  [
    'a search field whose label went missing, beside a button of that name',
    '<form role="search"><input name="q"><button>Search</button></form>',
    { title: 'enter "fern" into "Search"' },
    `no_label locator('input[name="q"]')`,
  ],
  [
    'a "Save" that became an icon, beside a field of that name',
    '<label>Save as <input></label><button class="disk"><svg width="20" height="20"></svg></button>',
    { title: 'click "Save"' },
    `no_name locator('.disk')`,
  ],
  [
    'an icon, where the reason lists what is there',
    '<button>Open</button><button>Close</button><button class="disk"><svg width="20" height="20"></svg></button>',
    { reason: 'nothing is called "Save": there are "Open", "Close" and one without a name' },
    `no_name locator('.disk')`,
  ],
])(
  'finds %s',
  async (_, body, { title = '', reason = 'lost' }: { title?: string; reason?: string }, expected) => {
    html = body;
    const { record } = await runTrial({
      async run(task) {
        const fail = () => Promise.reject(new Error('not found'));
        if (title) await task.turn(title, fail).catch(() => undefined);
        return { status: 'gave_up', reason };
      },
    });
    const found = record.examination!.findings.filter(({ relevant }) => relevant);
    expect(found.map(({ kind, locator }) => `${kind} ${locator}`)).toEqual([expected]);
  },
);

it.each([
  ['renamed', '<button>Reserve</button>', '; button "Reserve" is in its place'],
  ['moved', '<p style="height:2000px"></p><button>Add to basket</button>', '; it is elsewhere on the page'],
  ['hidden', '<button hidden>Add to basket</button>', '; nothing is in its place'],
])('tells what stands where passing trials had a control: %s', async (_, body, expected) => {
  html = '<p style="height:2000px"></p><button onclick="this.remove()">Add to basket</button>';
  const add = (task: SessionTask) =>
    task.turn('add', async turn => {
      const button = task.page.getByRole('button', { name: 'Add to basket' });
      await turn.record({ do: 'click' }, button);
      await button.click();
    });
  const passed = await runTrial({ run: add, selector: 'body' });
  html = body.startsWith('<p') ? body.replace('2000', '200') : `<p style="height:2000px"></p>${body}`;
  const lost = await runTrial({ run: async () => ({ status: 'gave_up', reason: 'no such button' }) });
  const ways = new PassingWays({ from: 'trials' }, [{ facts: factsOf(passed.record) }]);
  const click = { title: 'click', error: 'not found', recorded: [] };
  const [turn] = passed.record.turns;
  const facts = factsOf({ ...lost.record, turns: [{ ...turn!, actions: [click] }] });
  const trial = { index: 1, status: 'gave_up' } as TrialResult;
  expect(ways.partingOf({ trial, facts })?.parting.text).toBe(
    `turn 1: the passing trial clicked button "Add to basket", this one failed at: click${expected}`,
  );
});

it.each<[string, string, (task: SessionTask) => Promise<unknown>]>([
  ['hangs', '', task => task.page.evaluate(hang('/never', 200))],
  [
    'goes away all the time',
    '<script>setTimeout(() => location.reload(), 100)</script>',
    async () => undefined,
  ],
])('costs no more than its time where the page %s', async (_, body, run) => {
  html = body;
  const { record, took } = await runTrial({ run: async task => void (await run(task)), isOwn: true });
  expect(record.outcome).toBe('failed');
  // The bound, and a moment for a machine that is busy.
  expect(took.get(STEP) ?? 0).toBeLessThan(EXAMINATION_MS + 3_000);
});

it('no assertion waits once the agent gave up', async () => {
  html = ICON;
  const { record, took } = await runTrial({
    run: async () => ({ status: 'gave_up', reason: 'no such button' }),
    selector: '.missing',
  });
  expect(record.assertions).toMatchObject([{ passed: false }]);
  // Its own time would be 20 s.
  expect(took.get(record.assertions[0]!.title)).toBeLessThan(10_000);
});

it('begins although a flooded browser answers no wait for the page', async () => {
  html = ICON;
  const never = new Promise<never>(() => undefined);
  const change = (page: Page) => {
    page.waitForFunction = () => never;
    const waitForLoadState = page.waitForLoadState.bind(page);
    page.waitForLoadState = (state, ...options) =>
      state === 'load' ? never : waitForLoadState(state, ...options);
  };
  const { record } = await runTrial({ run: clickIcon, change });
  expect(record.turns).toHaveLength(1);
});

it('costs the record nothing where the page is closed', async () => {
  html = ICON;
  const { record } = await runTrial({ run: task => task.page.close() });
  expect(record.examination).toBeNull();
});

it('keeps secrets and long texts out', async () => {
  html = `<input class="hunter2secret"><button disabled class="hunter2secret">hunter2secret ${'x'.repeat(5_000)}</button>
    <div class="swordfish" style="width:50px;height:30px" onclick="1"></div>`;
  const { record } = await runTrial({ secrets: { PASSWORD: 'hunter2secret', CODE: 'swordfish' } });
  const text = JSON.stringify(record.examination);
  expect(record.examination!.findings.length).toBeGreaterThan(0);
  expect(text).not.toMatch(/hunter2secret|swordfish/);
  expect(text).toContain('<secret>PASSWORD</secret>');
  expect(record.examination!.findings.map(({ place }) => place?.control)).toContain(
    'div.<secret>CODE</secret>',
  );
  for (const { text, locator } of record.examination!.findings)
    expect(Math.max(text.length, locator.length)).toBeLessThanOrEqual(300);
});
