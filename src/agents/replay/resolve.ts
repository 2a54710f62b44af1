// Makes a recorded action one of this run: with its secrets, files and URLs, and with locators for them.
import { existsSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { locatorOf } from '../../browser/actions/locate';
import type { LocatedAction } from '../../browser/actions/perform';
import type { RecordedAction } from '../../data/action';
import { fileBelow } from '../../data/recording';
import { escapePattern } from '../../text/line';
import { fillSecrets, secretsNamed } from '../../text/mask';
import { AgentSetupError, type SessionTask } from '../agent';
import { unescaped, withTexts } from './values';

export const unknownSecret = (name: string) =>
  new AgentSetupError(
    `the recording types the secret ${name}, which this project does not have: set it in use.taskproof.secrets`,
  );

const EXACT_TEXT = /'((?:\\.|[^'\\])*)'(?:, exact: true|, \{ exact: true \})/g;

/** As exact as the text, but for its case: `Admin` on a page was recorded as `<secret>USER</secret>`. */
const inAnyCase = (text: string) => `/^\\s*${escapePattern(text).replace(/\s+/g, '\\s+')}\\s*$/i`;

export function resolved(
  recorded: RecordedAction,
  { secrets, configDir, entryUrl }: SessionTask,
): RecordedAction {
  const fill = (text: string) => fillSecrets(text, secrets, unknownSecret);
  const inQuotes = (value: string) => JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'");
  const quoted = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, inQuotes(value)]));
  const filled = (locator: string) =>
    fillSecrets(
      locator.replace(EXACT_TEXT, (whole, text: string) =>
        secretsNamed(text).length ? inAnyCase(fill(unescaped(text))) : whole,
      ),
      quoted,
      unknownSecret,
    );
  // The page's fingerprints are only compared, so they stay as they are.
  const { before, after, ...told } = recorded;
  const { text, labels } = recorded as { text?: string; labels?: string[] };
  const action = {
    ...withTexts(told as RecordedAction, fill, filled),
    // Secrets in these are filled in when they are typed.
    ...(text !== undefined && { text }),
    ...(labels && { labels }),
  };
  if (action.do === 'upload') return { ...action, files: action.files.map(file => fileOf(file, configDir)) };
  return action.do === 'goto' ? { ...action, url: new URL(action.url, entryUrl).href } : action;
}

function fileOf(file: string, configDir: string): string {
  const found = fileBelow(configDir, file);
  if (found !== undefined && existsSync(found)) return found;
  const why = found
    ? `does not exist in ${configDir}`
    : `is outside ${configDir}: put the file below the folder of the Playwright config and record again`;
  throw new Error(`the recording uploads ${JSON.stringify(file)}, which ${why}`);
}

/** @throws Error if the text is not a locator. */
export function located(page: Page, action: RecordedAction): LocatedAction {
  const locator = 'locator' in action && action.locator ? { locator: locatorOf(page, action.locator) } : {};
  const to = action.do === 'drag' ? { to: locatorOf(page, action.to) } : {};
  return { ...action, ...locator, ...to } as LocatedAction;
}
