// Secrets, from the side of a frame of another host that wants one: it shows fields like the site's, and takes the focus.
import type { Page } from '@playwright/test';
import { describe, expect, it, vi } from 'vitest';
import { lexical } from '../../src/agents/lexical';
import { Player } from '../../src/agents/replay/player';
import { Driver } from '../../src/agents/tools/driver';
import { FORM_TOOLS, KEYBOARD_TOOLS } from '../../src/agents/tools/form';
import { taskTools } from '../../src/agents/tools/task';
import { perform } from '../../src/browser/actions/perform';
import { agentTask, endTasks } from '../support/agent-task';
import { browserOfTests } from '../support/shared-browser';
import { serverOfTests } from '../support/two-sites';
import { usedPages } from '../support/used-pages';

const SECRET = 'violet 7';
const NAMED = '<secret>PW</secret>';
const OPTIONS = { secrets: { PW: SECRET }, allowedDomains: ['127.0.0.1'] };
const REFUSED = 'the field is on localhost, and secrets are typed only on 127.0.0.1';

const EVIL = `<label>Password <input oninput="got.textContent += event.data"></label>
<label>Plan <select onchange="got.textContent += this.value"><option>Free<option>${SECRET}</select></label><p id="got"></p>`;
const PAGES: Record<string, (origin: string) => string> = {
  '/evil': () => EVIL,
  '/thief': () => `${EVIL}<script>setInterval(() => document.querySelector('input').focus(), 1)</script>`,
  '/foreign': origin =>
    `<h1>Shop</h1><iframe src="${origin.replace('127.0.0.1', 'localhost')}/evil"></iframe>`,
  '/own': () => '<h1>Shop</h1><iframe src="/field"></iframe>',
  '/written': () => `<h1>Shop</h1><iframe srcdoc="<label>Password <input></label>"></iframe>`,
  '/plan': () => '<label>Plan <select><option>Small<option>Big</select></label>',
  '/field': () => '<label>Password <input></label>',
  '/stolen': origin =>
    `<label>Secret <input></label><iframe src="${origin.replace('127.0.0.1', 'localhost')}/thief"></iframe>`,
  '/digits': () =>
    `<form>${'<input maxlength="1" oninput="this.nextElementSibling?.focus()">'.repeat(4)}</form>`,
  '/events': () => `<label>Secret <input></label><script>
const said = []; const field = document.querySelector('input');
for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup']) field.addEventListener(type, ({ key, data }) => said.push(type + ' ' + (key ?? data)));
</script>`,
  '/masked': () =>
    `<label>Secret <input oninput="this.value = this.value.length > 1 && !this.value.includes('-') ? '' : this.value + '-'"></label>`,
  '/day': () => '<label>Day <input type="date"></label>',
};

const pages = usedPages(browserOfTests());
const site = serverOfTests((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Shop</title>${PAGES[request.url!]?.(site.url) ?? ''}`);
});

async function open(path: string, given = {}) {
  const page = await pages.take();
  endTasks(page);
  await page.goto(site.url + path);
  return { page, task: agentTask(page, { ...OPTIONS, ...given }) };
}

type Task = Awaited<ReturnType<typeof open>>['task'];
const act = (task: Task, action: Parameters<typeof perform>[1], timeoutMs = 5_000) =>
  perform(task.page, action, { timeoutMs, task });

/** Plays a recorded action. */
function replay(task: Task, action: object, timeoutMs = 5_000): Promise<unknown> {
  const state = { url: '/', content: '' };
  const recorded = [{ ...action, tab: 0, before: state, after: state }];
  const turns = [{ title: 't', actions: [{ title: 'enter it', recorded }] }];
  return new Player(task, timeoutMs).play({ turns } as never);
}

/** What the frame got to know. */
const got = (page: Page) => page.frameLocator('iframe').locator('#got').textContent();
const inFrame = (page: Page) => page.frameLocator('iframe').getByLabel('Password');

async function toolsOn(path: string, given = {}) {
  const { page, task } = await open(path, given);
  const driver = new Driver(task);
  const shown = await driver.look(page);
  const use = (name: string, input: object) => {
    const tool = [...FORM_TOOLS, ...KEYBOARD_TOOLS, ...taskTools([], false)].find(
      each => each.name === name,
    )!;
    return driver.run({ tool, input, page } as never);
  };
  return {
    ...{ page, task },
    use,
    target: (label: string) => ({
      type: 'ref',
      ref: new RegExp(`"${label}".*?(ref_\\d+)`).exec(shown)?.[1] ?? shown,
    }),
  };
}

const inFrameOf = (label: string) => `locator('iframe').contentFrame().getByLabel('${label}')`;
/** Uses a tool where the field of the frame has the focus. */
async function inFocus({ page, use }: Awaited<ReturnType<typeof toolsOn>>, name: string, input: object) {
  await inFrame(page).click();
  await use(name, input);
}
const NOT_PASTED = 'Not pasted: the field is on localhost';

describe('a field in a frame of another host', () => {
  it('is given none by lexical()', async () => {
    const { page, task } = await open('/foreign', { goal: `Enter "${NAMED}" into "Password"` });
    const end = await lexical({ actionTimeoutMs: 2_000 }).run(task);
    expect(end).toMatchObject({ status: 'gave_up', reason: expect.stringContaining(REFUSED) });
    expect(await got(page)).toBe('');
  });

  it.each<[string, (on: Awaited<ReturnType<typeof toolsOn>>) => Promise<unknown>, refused?: string]>([
    ['form_input', ({ use, target }) => use('form_input', { target: target('Password'), value: NAMED })],
    [
      'form_input into a list',
      ({ use, target }) => use('form_input', { target: target('Plan'), value: NAMED }),
    ],
    ['typing where the focus is', on => inFocus(on, 'type', { text: `x${NAMED}` })],
    [
      'replay()',
      ({ task }) => replay(task, { do: 'fill', text: NAMED, locator: inFrameOf('Password') }, 2_000),
    ],
    [
      'replay() into a list',
      ({ task }) => replay(task, { do: 'select', labels: [NAMED], locator: inFrameOf('Plan') }, 2_000),
    ],
    ['ctrl+v', on => inFocus(on, 'key', { text: 'ctrl+v' }), NOT_PASTED],
    ['shift+Insert', on => inFocus(on, 'key', { text: 'shift+Insert' }), NOT_PASTED],
    ['shift+ctrl+v', on => inFocus(on, 'key', { text: 'shift+ctrl+v' }), NOT_PASTED],
    ['ctrl+v that is held', on => inFocus(on, 'hold_key', { text: 'ctrl+v', duration: 0 }), NOT_PASTED],
    [
      'dragging a text there',
      ({ page, task }) => act(task, { do: 'drag', locator: page.locator('h1'), to: inFrame(page) }, 2_000),
      'Not dragged: the field is on localhost',
    ],
  ])('nor by %s', async (_, how, refused = REFUSED) => {
    const tools = await toolsOn('/foreign');
    await expect(how(tools)).rejects.toThrow(refused);
    expect(await got(tools.page)).toBe('');
  });

  it('but takes what is no secret', async () => {
    const on = await toolsOn('/foreign');
    await inFocus(on, 'type', { text: 'Mira' });
    expect(await got(on.page)).toBe('Mira');
  });

  it.each(['fill', 'type'] as const)('takes the focus in vain during "%s"', async how => {
    const { page, task } = await open('/stolen');
    const locator = page.getByLabel('Secret');
    await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('iframe');
    await act(task, { do: how, locator, text: NAMED });
    expect(await locator.inputValue()).toBe(SECRET);
    expect(await got(page)).toBe('');
  });
});

describe('a dialog, which may be of a frame of any host', () => {
  it('is given none by next_dialog', async () => {
    const { use } = await toolsOn('/own');
    await expect(use('next_dialog', { accept: true, text: NAMED })).rejects.toThrow(
      'Secrets are not entered in dialogs',
    );
  });

  it('and what a program enters in one is not recorded', async () => {
    const { page, task } = await open('/own');
    const recorded = async (text: string) => {
      await task.recorder.record(page, { do: 'reload' });
      await task.recorder.answered();
      task.session.dialogs.onAnswer({ accept: true, text });
      return task.recorder.done();
    };
    expect(await recorded('Mira')).toMatchObject([{ dialogs: [{ text: 'Mira' }] }]);
    expect(await recorded(SECRET)).toBeUndefined();
    expect(task.session.notices).toContainEqual(expect.stringContaining("can't be replayed"));
  });

  it('nor by another agent that names one', async () => {
    const { page, task } = await open('/own');
    task.session.dialogs.policy = () => ({ accept: true, text: NAMED });
    expect(await page.evaluate('prompt("Password?")')).toBeNull();
    expect(await page.evaluate('confirm("Sure?")')).toBe(true);
    expect(task.session.notices).toEqual([
      expect.stringMatching(/"Password\?" and was dismissed. Secrets are not entered in dialogs/),
      expect.stringContaining('"Sure?" and was accepted.'),
    ]);
  });
});

describe('a field of the site', () => {
  it.each(['/own', '/written'])('gets it in a frame, too: %s', async path => {
    const { page, task } = await open(path);
    await act(task, { do: 'fill', locator: inFrame(page), text: NAMED });
    expect(await inFrame(page).inputValue()).toBe(SECRET);
  });

  it.each([
    ["getByRole('button', { name: 'Violet 7', exact: true })"],
    ["getByText('Violet 7', { exact: true }).first()"],
    ["getByRole('group', { name: 'Seat 1', exact: true }).getByText('Violet 7', { exact: true })"],
  ])('is found by a replay if its name has a secret in other letters: %s', async written => {
    const { page, task } = await open('/own');
    await page.setContent(`
      <fieldset aria-label="Seat 12"><button>Violet 7</button></fieldset><p>A violet 7/8</p>
      <fieldset aria-label="Seat 1"><button onclick="document.title = 1">
        Violet 7
      </button></fieldset>
      <button>Violet 7 in white</button>`);
    if (!written.includes('group'))
      await page.locator('[aria-label="Seat 12"]').evaluate(each => each.remove());
    const locator = task.mask(written);
    expect(locator).toContain(NAMED);
    await replay(task, { do: 'click', locator });
    expect(await page.title()).toBe('1');
  });

  it('hears keys and inputs as from a keyboard', async () => {
    const { page, task } = await open('/events');
    await act(task, { do: 'type', locator: page.getByLabel('Secret'), text: NAMED });
    const said = (await page.evaluate('said')) as string[];
    expect(said.slice(0, 5)).toEqual(['keydown v', 'keypress v', 'beforeinput v', 'input v', 'keyup v']);
    expect(said).toHaveLength(SECRET.length * 5);
  });

  it('may pass the focus on after each digit', async () => {
    const { page, task } = await open('/digits', { secrets: { PW: '1234' } });
    await page.locator('input').first().click();
    await act(task, { do: 'type', text: NAMED });
    expect(
      await page.locator('input').evaluateAll(all => all.map(each => (each as HTMLInputElement).value)),
    ).toEqual([...'1234']);
  });

  it.each([
    ['that formats what is typed gets it key by key', '/masked', 'ab', 'a-b-'],
    ['may be of a date', '/day', '2026-01-31', '2026-01-31'],
  ])('%s', async (_, path, PW, value) => {
    const { page, task } = await open(path, { secrets: { PW } });
    const locator = page.locator('input');
    await act(task, { do: 'fill', locator, text: NAMED });
    expect(await locator.inputValue()).toBe(value);
  });
});

describe('a secret that is computed', () => {
  /** A new code each time. */
  const counted = () => {
    let count = 0;
    return vi.fn(async () => `code-${++count}`);
  };

  it('is computed once by lexical(), when it is typed', async () => {
    const CODE = counted();
    const { page, task } = await open('/field', { goal: 'Enter "CODE" into "Password"', secrets: { CODE } });
    expect(await lexical({ actionTimeoutMs: 5_000 }).run(task)).toEqual({ answer: undefined });
    expect(await page.getByLabel('Password').inputValue()).toBe('code-1');
    expect(CODE).toHaveBeenCalledTimes(1);
    expect(task.mask('code-1')).toBe('<secret>CODE</secret>');
  });

  it('is computed anew at each time by tools of models, which read its name', async () => {
    const { page, use, target, task } = await toolsOn('/field', { secrets: { CODE: counted() } });
    const field = page.getByLabel('Password');
    for (const value of ['code-1', 'code-2']) {
      await use('form_input', { target: target('Password'), value: '<secret>CODE</secret>' });
      expect(await field.inputValue()).toBe(value);
    }
    await field.fill('');
    await use('type', { text: 'no. <secret>CODE</secret>' });
    expect(await field.inputValue()).toBe('no. code-3');
    expect(task.mask('code-1 code-2 code-3')).toBe('<secret>CODE</secret> '.repeat(3).trim());
  });

  it('can be an option of a list', async () => {
    const { page, use, target } = await toolsOn('/plan', { secrets: { PLAN: async () => 'Big' } });
    await use('form_input', { target: target('Plan'), value: '<secret>PLAN</secret>' });
    expect(await page.getByLabel('Plan').inputValue()).toBe('Big');
  });

  it('is computed by replay()', async () => {
    const CODE = counted();
    const { page, task } = await open('/field', { secrets: { CODE } });
    await replay(task, { do: 'fill', text: '<secret>CODE</secret>', locator: `getByLabel('Password')` });
    expect(await page.getByLabel('Password').inputValue()).toBe('code-1');
    expect(CODE).toHaveBeenCalledTimes(1);
  });

  it('that fails is the reason why lexical() gives up', async () => {
    const CODE = () => Promise.reject(new Error('no mail for ann'));
    const { task } = await open('/field', { goal: 'Enter "CODE" into "Password"', secrets: { CODE } });
    const reason = expect.stringContaining('the function for the secret CODE failed: no mail for ann');
    expect(await lexical({ actionTimeoutMs: 5_000 }).run(task)).toMatchObject({ status: 'gave_up', reason });
  });

  it('is not computed for a field of another host', async () => {
    const CODE = counted();
    const { page, task } = await open('/foreign', { secrets: { CODE } });
    const action = { do: 'fill', locator: inFrame(page), text: '<secret>CODE</secret>' } as const;
    await expect(act(task, action)).rejects.toThrow(REFUSED);
    expect(CODE).not.toHaveBeenCalled();
  });
});

describe('what a recording tells of a control keeps none', () => {
  const PASSPHRASE = 'correct-horse-battery-staple';
  const SPACED = 'correct horse battery staple';
  const LONG = 'eyJhbGciOi'.repeat(150);
  const recordedOf = async (html: string, goal: string) => {
    const { page, task } = await open('/own', { goal, secrets: { PW: PASSPHRASE, SPACED, LONG } });
    await page.setContent(html);
    await task.recorder.record(page, { do: 'click' }, page.getByRole('button').last());
    await task.recorder.answered();
    return task.mask(JSON.stringify(await task.recorder.done()));
  };

  it.each([
    ['a class', `<button class="remove ${PASSPHRASE}"></button>`],
    ['an address', `<button><img src="/icons/${PASSPHRASE}.svg"></button>`],
    ['data that is long', `<button data-row="${'x'.repeat(290)} ${PASSPHRASE}"></button>`],
  ])('in %s', async (_, html) => {
    const recorded = await recordedOf(`<button class="keep"></button>${html}`, 'Remove it');
    expect(recorded).toContain('"place":{"control":"button');
    expect(recorded).not.toMatch(/corre|horse|staple/);
  });

  it.each([
    ['its end', `The key of Mira ${'is now '.repeat(11)} ${PASSPHRASE}`],
    ['its beginning', `${'is now '.repeat(12)} ${SPACED} the key of Mira`],
    ['a secret that is longer than what is kept', `${LONG} the key of Mira`],
  ])('in a long text beside it, cut at %s', async (_, text) => {
    const row = (name: string) => `<li>${name} <button>Remove</button></li>`;
    const recorded = await recordedOf(row('The key of Jan') + row(text), 'Remove the key of Mira');
    expect(recorded).toMatch(/"beside":\[\{[^}]*key of Mira/);
    expect(recorded).not.toMatch(/corre|horse|staple|eyJ/);
  });
});
