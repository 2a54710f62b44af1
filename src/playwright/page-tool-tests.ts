// Tests of the tools that a page offers to agents, without an agent.
import { expect, type Page, type TestType } from '@playwright/test';
import { z } from 'zod';
import { listLength, MAX_LIST, saysError } from '../browser/page-tools/tool-text';
import { checkOptions, type OptionSchemas } from '../options';
import { suiteTest, type TrialFixtures, withTrials } from './fixtures';
import { awaitFrom, callFrom, callSiteOf } from './inside/calls';

export interface PageToolTestsOptions {
  /** The suite's own extended `test`, with its logged-in state. Default: Playwright's. */
  // biome-ignore lint/suspicious/noExplicitAny: any suite's test, whatever its fixtures
  test?: TestType<any, any>;
  /** Valid inputs of the tools to call, by the tool's name. Default: none is called. */
  calls?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Milliseconds that a call may take. Default: 5,000. */
  timeoutMs?: number;
  /** The most characters of an answer, as JSON. Default: 20,000, as many as agents are shown. */
  maxResult?: number;
}

const optionsSchema = z.strictObject({
  test: suiteTest,
  calls: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  timeoutMs: z.int().positive().default(5_000),
  maxResult: z.int().positive().default(20_000),
} satisfies OptionSchemas<PageToolTestsOptions>);

/**
 * Declares ordinary Playwright tests of the tools that a page registers for agents (WebMCP). There must be some, each with a
 * description and a valid schema. Each tool in `calls` must answer in time and within bounds, and must refuse inputs that do not
 * fit its schema, with an error and without leaving the page. Projects with `pageTools: false` skip them.
 *
 * @param url the page's URL; may be relative to `baseURL`
 * @throws OptionsError if an option is unknown or invalid.
 */
export function pageToolTests(url: string, options: PageToolTestsOptions = {}): void {
  const callSite = callSiteOf(pageToolTests);
  const given = checkOptions('pageToolTests()', optionsSchema, options);
  const test = withTrials(given.test);
  const declare = (title: string, check: (page: Page) => Promise<unknown>) => {
    const run = async ({ _taskproofOptions, page }: TrialFixtures & { page: Page }) => {
      const { pageTools } = _taskproofOptions as { pageTools?: unknown };
      test.skip(pageTools === false, 'pageTools is false in this project');
      const body = async () => {
        await page.goto(url);
        return check(page);
      };
      // An error in a boxed step points to the caller of the function that awaits it, so that needs a function of its own.
      const step = async () => await test.step(`${title} at ${url}`, body, { box: true });
      const skipReason = await awaitFrom(callSite, step);
      test.skip(typeof skipReason === 'string', String(skipReason));
    };
    callFrom(callSite, test, `${url}: ${title}`, { tag: '@page-tools' }, run);
  };
  const names = Object.keys(given.calls);
  declare('page tools are well described', page => checkDescriptions(page, names));
  for (const name of names) {
    declare(`page tool "${name}" answers`, page => checkAnswer(page, name, given));
    declare(`page tool "${name}" refuses wrong input`, page => checkRefusals(page, name, given));
  }
}

type Given = z.output<typeof optionsSchema>;

async function toolsOf(page: Page) {
  const { PageTools } = await import('../browser/page-tools/page-tools.js');
  const tools = new PageTools({ page, notice: () => undefined }, [new URL(page.url()).hostname]);
  if (await tools.isSupported()) return tools;
  throw new Error(
    `${page.url()} can't list its tools. That requires Chromium with use: { launchOptions: { args: ['--enable-features=WebMCP'] } }, and a page on https or localhost`,
  );
}

type Tools = Awaited<ReturnType<typeof toolsOf>>;
const namesIn = (tools: Tools) => async () => (await tools.list()).map(({ name }) => name);

/** Waits until the page registers the tool. */
async function known(tools: Tools, name: string) {
  await expect.poll(namesIn(tools), `the page has no tool "${name}"`).toContain(name);
  return (await tools.list()).find(tool => tool.name === name)!;
}

/** @param wanted tools that have to be there */
async function checkDescriptions(page: Page, wanted: readonly string[]): Promise<void> {
  const { problemOfSchema } = await import('../browser/page-tools/page-tools.js');
  const tools = await toolsOf(page);
  // A tool that agents are not offered is registered, too.
  const count = async () => (await tools.list()).length + tools.leftOut.size;
  await expect.poll(count, 'the page registers no tool').toBeGreaterThan(0);
  const soft = expect.configure({ soft: true });
  await soft.poll(namesIn(tools), 'the page lacks a tool').toEqual(expect.arrayContaining([...wanted]));
  soft([...tools.leftOut], 'agents do not get all of the tools').toEqual([]);
  const offered = await tools.list();
  soft(listLength(offered), 'length of the list of tools, in characters').toBeLessThanOrEqual(MAX_LIST);
  for (const { name, description, inputSchema } of offered) {
    soft(description.trim(), `tool "${name}" has no description`).not.toBe('');
    soft(problemOfSchema(inputSchema), `the input schema of tool "${name}" is not valid`).toBe(undefined);
  }
}

async function checkAnswer(page: Page, name: string, { calls, timeoutMs, maxResult }: Given): Promise<void> {
  const tools = await toolsOf(page);
  await known(tools, name);
  const result = await tools.call(page, name, calls[name]!, { timeoutMs });
  expect(saysError(result), `tool "${name}" says that it failed: ${JSON.stringify(result)}`).toBe(false);
  const { length } = JSON.stringify(result) ?? '';
  expect(length, `length of the answer of tool "${name}", in characters`).toBeLessThanOrEqual(maxResult);
}

/** @returns why there is nothing to check; undefined if it was checked */
async function checkRefusals(
  page: Page,
  name: string,
  { calls, timeoutMs }: Given,
): Promise<string | undefined> {
  const { problemsWith, ToolFailure } = await import('../browser/page-tools/page-tools.js');
  const tools = await toolsOf(page);
  const { inputSchema } = await known(tools, name);
  const wrong = inputsWithOneMistake(calls[name]!).filter(each => problemsWith(inputSchema, each).length);
  if (!wrong.length) return `the schema of tool "${name}" accepts any input`;
  const url = page.url();
  for (const each of wrong) {
    await known(tools, name);
    const call = tools.callUnchecked(page, name, each, timeoutMs);
    const [refused, said] = await call.then(
      answer => [saysError(answer), JSON.stringify(answer)],
      (error: Error) => [error instanceof ToolFailure, error.message],
    );
    const given = `tool "${name}", given ${JSON.stringify(each)}, which its schema refuses,`;
    expect(page.url(), `${given} went to another page`).toBe(url);
    expect.soft(refused, `${given} answered ${said} instead of an error`).toBe(true);
  }
  return undefined;
}

/** Inputs in which one field is missing or has a type that no schema is likely to accept. */
function inputsWithOneMistake(input: Readonly<Record<string, unknown>>): object[] {
  return Object.keys(input).flatMap(key => {
    const { [key]: _, ...rest } = input;
    return [rest, { ...input, [key]: [[]] }];
  });
}
