// What `pageToolTests` checks, loaded by the tests that do.
import { expect, type Page } from '@playwright/test';
import { PageTools } from '../browser/page-tools/page-tools';
import { problemOfSchema, problemsWith } from '../browser/page-tools/tool-input';
import { saysError } from '../browser/page-tools/tool-text';

async function toolsOf(page: Page) {
  const tools = new PageTools({ page, notice: () => undefined }, [new URL(page.url()).hostname]);
  if (await tools.isSupported()) return tools;
  throw new Error(
    `${page.url()} can't be asked for its tools: set use: { launchOptions: { args: ['--enable-features=WebMCP'] } } with Chromium, and open it by https or on localhost`,
  );
}

/** Errors that tell of the page, not of the input. */
const NO_REFUSAL = /has no tool|No WebMCP tool|context was destroyed|frame was detached|has been closed/i;

/** @param wanted tools that have to be there */
export async function checkDescriptions(page: Page, wanted: readonly string[]): Promise<void> {
  const tools = await toolsOf(page);
  // One that is not offered is a tool, too.
  const count = async () => (await tools.list()).length + tools.leftOut.size;
  await expect.poll(count, 'the page registers no tool').toBeGreaterThan(0);
  const names = async () => (await tools.list()).map(({ name }) => name);
  const soft = expect.configure({ soft: true });
  await soft.poll(names, 'the page registers its tools').toEqual(expect.arrayContaining([...wanted]));
  const found = await tools.list();
  expect.soft([...tools.leftOut], 'tools that agents are not offered').toEqual([]);
  for (const { name, description, inputSchema } of found) {
    expect.soft(description.trim(), `tool "${name}" has no description`).not.toBe('');
    expect
      .soft(problemOfSchema(inputSchema), `the input schema of tool "${name}" is not valid`)
      .toBe(undefined);
  }
}

export async function checkAnswer(
  page: Page,
  name: string,
  input: object,
  { timeoutMs, maxResult }: { timeoutMs: number; maxResult: number },
): Promise<void> {
  const tools = await toolsOf(page);
  await known(tools, name);
  const result = await tools.call(page, name, input, { timeoutMs });
  expect(saysError(result), `tool "${name}" says that it failed: ${JSON.stringify(result)}`).toBe(false);
  const { length } = JSON.stringify(result) ?? '';
  expect(length, `characters of the answer of tool "${name}"`).toBeLessThanOrEqual(maxResult);
}

/** @returns why there is nothing to check; undefined if it was checked */
export async function checkRefusals(
  page: Page,
  name: string,
  input: Readonly<Record<string, unknown>>,
  timeout: number,
): Promise<string | undefined> {
  const tools = await toolsOf(page);
  const { inputSchema } = await known(tools, name);
  const wrong = wrongInputs(inputSchema, input);
  if (!wrong.length) return `the schema of tool "${name}" takes everything`;
  const url = page.url();
  for (const each of wrong) {
    await known(tools, name);
    const answer = await tools.callUnchecked(page, name, each, timeout).catch((error: Error) => error);
    const given = `tool "${name}", given ${JSON.stringify(each)}, which its schema refuses,`;
    const late = answer instanceof Error && answer.message.includes('Timeout');
    expect(late, `${given} did not answer in ${timeout} ms`).toBe(false);
    expect(page.url(), `${given} went to another page`).toBe(url);
    const refused = answer instanceof Error ? !NO_REFUSAL.test(answer.message) : saysError(answer);
    const said = answer instanceof Error ? answer.message : JSON.stringify(answer);
    expect.soft(refused, `${given} answered ${said} instead of an error`).toBe(true);
  }
  return undefined;
}

async function known(tools: PageTools, name: string) {
  const find = async () => (await tools.list()).find(tool => tool.name === name);
  await expect.poll(find, `the page registers its tool "${name}"`).toBeTruthy();
  return (await find())!;
}

/** The input with a field left out, or of a type that none is. */
function wrongInputs(schema: unknown, input: Readonly<Record<string, unknown>>): object[] {
  return Object.keys(input)
    .flatMap(key => {
      const { [key]: _, ...rest } = input;
      return [rest, { ...input, [key]: [[]] }];
    })
    .filter(each => problemsWith(schema, each).length > 0);
}
