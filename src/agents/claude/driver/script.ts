import { ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type { Page } from '@playwright/test';
import { MAX_CHARACTERS } from './page-tree';
import { within } from './time';

const LIMIT_MS = 10_000;

/** The value of the last expression, as JSON where it can be. */
export async function runScript(page: Page, text: string): Promise<string> {
  const outcome = await within(
    page.evaluate(text).then(
      value => ({ value }),
      (error: Error) => ({ error }),
    ),
    LIMIT_MS,
  );
  if (!outcome) throw new ToolError(`The script did not end within ${LIMIT_MS / 1000} s.`);
  if ('error' in outcome)
    throw new ToolError(outcome.error.message.replace(/^page\.evaluate: /, '').split('\n    at')[0]!);
  const { value } = outcome;
  const shown = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? String(value));
  return shown.length > MAX_CHARACTERS
    ? `${shown.slice(0, MAX_CHARACTERS - 60)}\n(cut at ${MAX_CHARACTERS} characters)`
    : shown;
}
