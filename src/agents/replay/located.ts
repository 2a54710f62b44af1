// Prepares a recorded action for this run, and explains why it can't be performed.
import type { Page } from '@playwright/test';
import { inWords, locatorOf } from '../../browser/locator-expression';
import type { RecordedAction } from '../../browser/page-action';
import { type LocatedAction, reasonIn } from '../../browser/perform';
import type { SessionTask } from '../agent';
import { fillSecrets, inTexts } from '../secrets';
import { fileBelow } from './recording';

/**
 * The action with this project's secrets, files and address.
 *
 * @throws Error if the project does not have a secret, or a file is outside the config's folder.
 */
export function resolved(
  recorded: RecordedAction,
  { secrets, configDir, entryUrl }: SessionTask,
): RecordedAction {
  const unknown = (name: string) =>
    new Error(
      `the recording types the secret ${name}, which this project does not have: set it in use.taskproof.secrets`,
    );
  const fill = (text: string, values = secrets) => fillSecrets(text, values, unknown);
  const inQuotes = (value: string) => JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'");
  const quoted = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, inQuotes(value)]));
  const step = {
    ...recorded,
    ...('locator' in recorded && recorded.locator ? { locator: fill(recorded.locator, quoted) } : {}),
    ...(recorded.do === 'drag' ? { to: fill(recorded.to, quoted) } : {}),
  } as RecordedAction;
  if (step.do === 'fill' || step.do === 'type') return { ...step, text: fill(step.text) };
  if (step.do === 'select') return { ...step, labels: step.labels.map(label => fill(label)) };
  if (step.do === 'call_page_tool') return { ...step, input: inTexts(step.input, text => fill(text)) };
  if (step.do === 'upload') return { ...step, files: step.files.map(file => fileOf(file, configDir)) };
  return step.do === 'goto' ? { ...step, url: new URL(step.url, entryUrl).href } : step;
}

function fileOf(file: string, configDir: string): string {
  const found = fileBelow(configDir, file);
  if (found !== undefined) return found;
  throw new Error(
    `the recording uploads ${JSON.stringify(file)}, which is outside ${configDir}: put the file below the folder of the Playwright config and record again`,
  );
}

/** @throws Error if the text is not a locator. */
export function located(page: Page, step: RecordedAction): LocatedAction {
  const locator = 'locator' in step && step.locator ? { locator: locatorOf(page, step.locator) } : {};
  const to = step.do === 'drag' ? { to: locatorOf(page, step.to) } : {};
  return { ...step, ...locator, ...to } as LocatedAction;
}

/** Playwright's long message on a failed action as one sentence: `button "Place order" not found`. */
export async function whyNot(page: Page, step: RecordedAction, error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  if (!('locator' in step) || !step.locator) return message;
  const name = inWords(step.locator);
  // What is no locator throws at once.
  const count = await Promise.resolve(step.locator)
    .then(text => locatorOf(page, text).count())
    .catch(() => undefined);
  if (count === 0) return `${name} not found`;
  if (count !== undefined && count > 1) return `${name} now matches ${count} elements instead of one`;
  return `${name} can't be used: ${reasonIn(message) ?? message.split('\n')[0]}`;
}
