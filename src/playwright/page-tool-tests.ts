// The tools that a page offers to agents, checked without one.
import type { Page, TestType } from '@playwright/test';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../options';
import { suiteTest, type TrialFixtures, withTrials } from './fixtures';
import { awaitFrom, callFrom, callSiteOf } from './inside/call-site';

export interface PageToolTestsOptions {
  /** The suite's own extended `test`, with its logged-in state. Default: Playwright's. */
  // biome-ignore lint/suspicious/noExplicitAny: any suite's test, whatever its fixtures
  test?: TestType<any, any>;
  /** Tools to call, by name, each with an input that it takes. Default: none is called. */
  calls?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Milliseconds that a call may take. Default: 5,000. */
  timeoutMs?: number;
  /** Characters of an answer, as JSON. Default: 20,000, as many as agents are shown. */
  maxResult?: number;
}

const optionsSchema = z.strictObject({
  test: suiteTest,
  calls: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  timeoutMs: z.int().positive().default(5_000),
  maxResult: z.int().positive().default(20_000),
} satisfies OptionSchemas<PageToolTestsOptions>);

/**
 * Declares ordinary Playwright tests of the tools that a page registers for agents (WebMCP): that it has some, each with a
 * description and a valid schema; and that each of `calls` answers in time and in bounds, and refuses, with an error and
 * without leaving the page, inputs that its schema does not take. Projects with `pageTools: false` skip them.
 *
 * @param url of the page; relative to `baseURL`
 * @throws OptionsError if an option is unknown or invalid.
 */
export function pageToolTests(url: string, options: PageToolTestsOptions = {}): void {
  const callSite = callSiteOf(pageToolTests);
  const { test: own, calls, timeoutMs, maxResult } = checkOptions('pageToolTests()', optionsSchema, options);
  const test = withTrials(own);
  const declare = (title: string, body: (page: Page, checks: Checks) => Promise<unknown>) => {
    const run = async ({ _taskproofOptions, page }: TrialFixtures & { page: Page }) => {
      const { pageTools } = _taskproofOptions as { pageTools?: unknown };
      test.skip(pageTools === false, 'pageTools is false in this project');
      const checks = await import('./page-tool-checks.js');
      const check = async () => {
        await page.goto(url);
        return body(page, checks);
      };
      // Errors in a boxed step point to what awaits the function that awaits it.
      const step = async () => await test.step(`${title} at ${url}`, check, { box: true });
      const needless = await awaitFrom(callSite, step);
      test.skip(typeof needless === 'string', String(needless));
    };
    callFrom(callSite, test, `${url}: ${title}`, { tag: '@page-tools' }, run);
  };
  declare('page tools are well described', (page, { checkDescriptions }) =>
    checkDescriptions(page, Object.keys(calls)),
  );
  for (const [name, input] of Object.entries(calls)) {
    declare(`page tool "${name}" answers`, (page, { checkAnswer }) =>
      checkAnswer(page, name, input, { timeoutMs, maxResult }),
    );
    declare(`page tool "${name}" refuses wrong input`, (page, { checkRefusals }) =>
      checkRefusals(page, name, input, timeoutMs),
    );
  }
}

type Checks = typeof import('./page-tool-checks');
