// Does one step again.
import { resolve } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { locatorOf } from '../../browser/locator-expression';
import type { RecordedAction } from '../../browser/page-action';
import type { AgentTask } from '../agent';
import { fillSecrets } from '../secrets';

interface Circumstances {
  task: AgentTask;
  timeoutMs: number;
}

type Of<Name extends RecordedAction['do']> = Extract<RecordedAction, { do: Name }>;

/** @throws Error in the words of a report: `button "Place order" not found`. */
export async function perform(
  page: Page,
  step: RecordedAction,
  { task, timeoutMs }: Circumstances,
): Promise<void> {
  const timeout = timeoutMs;
  switch (step.do) {
    case 'back':
      return void (await page.goBack({ timeout, waitUntil: 'domcontentloaded' }));
    case 'forward':
      return void (await page.goForward({ timeout, waitUntil: 'domcontentloaded' }));
    case 'reload':
      return void (await page.reload({ timeout, waitUntil: 'domcontentloaded' }));
    case 'goto': {
      const url = new URL(step.url, task.entryUrl).href;
      return void (await page.goto(url, { waitUntil: 'domcontentloaded' }));
    }
    case 'new_tab':
      return task.activate(await task.context.newPage());
    case 'switch_tab':
      return page.bringToFront();
    case 'close_tab':
      return page.close();
    case 'scroll':
      return scroll(page, step, timeout);
    case 'press':
      return press(page, step, timeout);
    default:
      return onElement(page, step, timeout);
  }
}

type OnElement = Exclude<
  RecordedAction,
  | Of<'goto' | 'scroll' | 'press'>
  | { do: 'back' | 'forward' | 'reload' | 'new_tab' | 'switch_tab' | 'close_tab' }
>;

async function onElement(page: Page, step: OnElement, timeout: number): Promise<void> {
  const locator = locatorOf(page, step.locator);
  await explained(locator, step.locator, async () => {
    switch (step.do) {
      case 'click': {
        const { position, button, clickCount, modifiers } = step;
        return locator.click({ position, button, clickCount, modifiers, timeout });
      }
      case 'hover':
        return locator.hover({ position: step.position, timeout });
      case 'focus':
        return locator.focus({ timeout });
      case 'fill':
        return fill(locator, step.text, timeout);
      case 'type':
        return locator.pressSequentially(step.text, { timeout });
      case 'check':
        return locator.setChecked(step.checked, { timeout });
      case 'select':
        await locator.selectOption(
          step.labels.map(label => ({ label })),
          { timeout },
        );
        return;
      case 'upload':
        return upload(page, locator, step.files, timeout);
      case 'drag':
        return locator.dragTo(locatorOf(page, step.to), {
          sourcePosition: step.position,
          targetPosition: step.toPosition,
          timeout,
        });
    }
  });
}

/** Fields that format or mask what is typed follow keys, not values. */
async function fill(locator: Locator, text: string, timeout: number): Promise<void> {
  await locator.fill(text, { timeout });
  const kept = await locator.inputValue({ timeout: 1_000 }).catch(() => text);
  if (kept === text || text === '') return;
  await locator.fill('', { timeout });
  await locator.pressSequentially(text, { timeout });
}

async function press(page: Page, { locator, key, times = 1 }: Of<'press'>, timeout: number): Promise<void> {
  const target = locator === undefined ? undefined : locatorOf(page, locator);
  for (let time = 0; time < times; time++) {
    if (target) await explained(target, locator!, () => target.press(key, { timeout, noWaitAfter: true }));
    else await page.keyboard.press(key);
  }
}

async function scroll(page: Page, { locator, x, y }: Of<'scroll'>, timeout: number): Promise<void> {
  if (locator !== undefined) {
    const element = locatorOf(page, locator);
    return explained(element, locator, () =>
      element.evaluate((node, by) => node.scrollBy(by.x, by.y), { x, y }, { timeout }),
    );
  }
  await page.evaluate(by => window.scrollBy(by.x, by.y), { x, y });
}

async function upload(
  page: Page,
  locator: Locator,
  files: readonly string[],
  timeout: number,
): Promise<void> {
  const isInput = await locator.evaluate(
    element => element instanceof HTMLInputElement && element.type === 'file',
    undefined,
    { timeout },
  );
  if (isInput) return locator.setInputFiles([...files], { timeout });
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser', { timeout }),
    locator.click({ timeout, noWaitAfter: true }),
  ]);
  await chooser.setFiles([...files]);
}

/** Playwright's long account of a failed action, as the sentence that matters. */
async function explained(locator: Locator, expression: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const count = await locator.count().catch(() => undefined);
    if (count === 0) throw new Error(`${nameOf(expression)} not found`);
    if (count !== undefined && count > 1)
      throw new Error(`${nameOf(expression)} is not one element any more but ${count}`);
    throw new Error(`${nameOf(expression)} can't be used: ${reasonIn(message)}`);
  }
}

const REASONS: readonly [RegExp, string][] = [
  [/intercepts pointer events/, 'something lies over it'],
  [/not enabled/, 'it is disabled'],
  [/not editable/, 'it is read-only'],
  [/not visible/, 'it is not visible'],
  [/did not find some options/, 'it has no such option'],
  [/not stable/, 'it keeps moving'],
];

function reasonIn(message: string): string {
  return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? message.split('\n')[0]!;
}

/** `getByRole('button', { name: 'Place order' })` as `button "Place order"`. */
function nameOf(expression: string): string {
  const last = /getByRole\('(\w+)', \{ name: '((?:\\.|[^'\\])*)'[^}]*\}\)[^)]*$/.exec(expression);
  return last ? `${last[1]} "${last[2]!.replace(/\\(.)/g, '$1')}"` : expression;
}

/**
 * The step with this project's secrets and files.
 *
 * @throws Error for a secret that the project does not have.
 */
export function resolved(step: RecordedAction, { secrets, configDir }: AgentTask): RecordedAction {
  const fill = (text: string) =>
    fillSecrets(
      text,
      secrets,
      name =>
        new Error(
          `the recording types the secret ${name}, which this project does not have: set it in use.taskproof.secrets`,
        ),
    );
  if (step.do === 'fill' || step.do === 'type') return { ...step, text: fill(step.text) };
  if (step.do === 'upload') return { ...step, files: step.files.map(file => resolve(configDir, file)) };
  return step.do === 'goto' ? { ...step, url: fill(step.url) } : step;
}
