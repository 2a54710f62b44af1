// The tools that a page registers for agents (WebMCP), read and called through Playwright. Their texts come from the page, so
// they are limited here, and tools are offered only if their document is of an admitted host.
import { setTimeout } from 'node:timers/promises';
import type { Frame, Page } from '@playwright/test';
import { problemsIn } from '../../spec/errors';
import { type JsonSchema, problemOfJsonSchema, valuesOf } from '../../spec/value-schema';
import { flat, shorten } from '../../text/line';
import { DriverError } from '../actions/act';
import type { ActionRecorder } from '../actions/record';
import { admits, documentIn, isAdmitted } from '../admitted';
import { callBesideScripts, callInPage, injected } from '../in-page';
import type { Session } from '../session/session';
import { limited, within } from '../waiting';

/** `auto`: page tools can be used besides other actions; `only`: instead of them; false: page tools are hidden. */
export type PageToolsMode = 'auto' | 'only' | false;

/** A tool that a page registers for agents. All texts come from the page. */
export interface PageTool {
  /** Letters, digits, `_`, `-` and `.`; unique on the page. */
  name: string;
  /** In one line, cut at 1,000 characters. */
  description: string;
  /** JSON Schema; `{ type: 'object' }` if the page has none. */
  inputSchema: unknown;
  /** The page says that the tool changes nothing. */
  readOnly?: boolean;
  /** The page says that the tool does something important, such as placing an order. */
  consequential?: boolean;
  /** The page says that the tool's result may contain texts of others. */
  untrustedContent?: boolean;
}

const LIST_LIMIT_MS = 2_000;
const CALL_LIMIT_MS = 15_000;
/** Milliseconds between two checks whether a tool is registered, or has filled in its form. */
const PAUSE_MS = 100;
const MAX_TOOLS = 500;
const MAX_NAMES = 2_000;
const MAX_DESCRIPTION = 1_000;
/** Characters of a schema. A tool with a longer one is not offered. */
const MAX_SCHEMA = 20_000;
const NAME = /^[\w.-]{1,128}$/;

interface Found extends PageTool {
  frame: Frame;
}

export class ToolFailure extends Error {}

export class PageTools {
  /** Whether `isSupported` found no WebMCP: then pages are no longer asked. */
  private isLacking = false;
  /** What agents don't get, and why: `tool "x": its schema is longer than 20000 characters`. */
  readonly leftOut = new Set<string>();

  constructor(
    private readonly session: Pick<Session, 'page' | 'notice'>,
    private readonly allowedDomains: readonly string[],
    readonly mode: PageToolsMode = 'auto',
  ) {}

  /** True also if the page does not answer. */
  async isSupported(): Promise<boolean> {
    const { page } = this.session;
    // Playwright finds no tools on a page that can't have any, too.
    const canHave = async () => within(callBesideScripts(page, 'canHaveTools'), LIST_LIMIT_MS);
    const tools = async () => String(await page.webmcp.tools({ timeout: LIST_LIMIT_MS }).catch(String));
    this.isLacking =
      this.mode === false || (await canHave()) === false || /not (enabled|supported)/.test(await tools());
    return !this.isLacking;
  }

  /** The tools of a page and its frames, those of its main document first. Empty if there are none, or no WebMCP. */
  async list(page = this.session.page): Promise<PageTool[]> {
    const found = await this.find(page);
    return found.map(({ frame: _, ...tool }) => tool);
  }

  /** Calls a tool. Resolves to undefined, with a notice, if the tool goes to another page, or fills in a form to be sent. */
  async call(
    page: Page,
    name: string,
    input: object,
    options: { timeoutMs?: number; recorder?: ActionRecorder | undefined; waitMs?: number } = {},
  ): Promise<unknown> {
    const { timeoutMs = CALL_LIMIT_MS, recorder, waitMs = 0 } = options;
    const tool = await this.named(page, name, waitMs);
    const problems = problemsWith(tool.inputSchema, input);
    if (problems.length > 0)
      throw new DriverError(
        `Not sent to the page, since its tool "${name}" does not take this input: ${problems.join('; ')}. Its schema: ${JSON.stringify(tool.inputSchema)}`,
      );
    await recorder?.record(page, { do: 'call_page_tool', name, input: input as Record<string, unknown> });
    return this.answer(page, tool, input, timeoutMs);
  }

  async callUnchecked(page: Page, name: string, input: object, timeout: number): Promise<unknown> {
    const tool = await this.named(page, name);
    return this.send(tool, input, timeout);
  }

  private async named(page: Page, name: string, waitMs = 0): Promise<Found> {
    const end = performance.now() + waitMs;
    for (;;) {
      const tools = await this.find(page);
      const tool = tools.find(each => each.name === name);
      if (tool) return tool;
      if (performance.now() >= end) {
        const names = tools.map(each => each.name).join(', ');
        const others = names ? `Its tools: ${names.slice(0, MAX_NAMES)}.` : 'It has none.';
        throw new DriverError(`The page has no tool ${JSON.stringify(name)}. ${others}`);
      }
      await setTimeout(PAUSE_MS);
    }
  }

  private async answer(page: Page, tool: Found, input: object, timeout: number): Promise<unknown> {
    const { name, frame } = tool;
    let ended = false;
    const answered = this.send(tool, input, timeout).finally(() => {
      ended = true;
    });
    // If the call fails after this returns, nobody else catches that: a form may be sent much later.
    answered.catch(() => undefined);
    const filled = async () => {
      while (!ended) {
        const isFilled = await within(callInPage(frame, 'isFilledIn', name), LIST_LIMIT_MS);
        if (isFilled === null) return answered;
        if (isFilled)
          return this.session.notice(
            `The page tool "${name}" has filled in its form. To send it, click the form's own button.`,
          );
        await setTimeout(PAUSE_MS);
      }
      return answered;
    };
    const left = () => this.session.notice(`The page tool "${name}" left its page before it answered.`);
    try {
      const answer = await Promise.race([answered, filled()]);
      // The frame may have gone to another host by now, whose texts must not be passed on.
      const isTold = frame === page.mainFrame() || (await isAdmitted(frame, this.allowedDomains));
      return isTold ? answer : left();
    } catch (error) {
      const message = (error as Error).message.split('\n')[0]!.replace(/^\w+\.\w+: (?:Error: )?/, '');
      const failed = new DriverError(`The page's tool "${name}" failed: ${message}`);
      if (error instanceof ToolFailure) throw failed;
      if (/context was destroyed|frame was detached|has been closed/i.test(message)) return left();
      if (/^Timeout/.test(message))
        throw new DriverError(
          `The page's tool "${name}" did not answer within ${timeout / 1000} s. It may have had an effect: look before you call it again.`,
        );
      throw failed;
    }
  }

  /** Not by Playwright's `callTool`: that calls the document that is there by then, of whatever host. */
  private send({ name, frame }: Found, input: object, timeout: number): Promise<unknown> {
    const call = async () => {
      const held = await documentIn(frame, this.allowedDomains);
      if (!held) throw new Error('Execution context was destroyed');
      const { answer, failed } = await held.evaluate(injected('callTool'), { name, input });
      if (failed !== undefined) throw new ToolFailure(failed);
      return answer;
    };
    return limited(call(), timeout, () => new Error(`Timeout ${timeout}ms exceeded.`));
  }

  private async find(page: Page): Promise<Found[]> {
    const main = page.mainFrame();
    if (this.mode === false || this.isLacking || !admits(main, this.allowedDomains)) return [];
    this.leftOut.clear();
    const frames = page.frames().filter(frame => admits(frame, this.allowedDomains));
    const lists = await Promise.all(frames.map(frame => this.read(frame)));
    const names = new Set<string>();
    const all = lists.flat().filter(({ name }) => !names.has(name) && names.add(name));
    if (all.length > MAX_TOOLS) this.leftOut.add(`all tools after the first ${MAX_TOOLS}`);
    return all.slice(0, MAX_TOOLS);
  }

  private async read(frame: Frame): Promise<Found[]> {
    const tools = await frame.webmcp.tools({ timeout: LIST_LIMIT_MS }).catch(() => []);
    // In the meantime, the frame may have gone elsewhere.
    if (tools.length === 0 || !(await isAdmitted(frame, this.allowedDomains))) return [];
    return tools.flatMap(({ name, description, inputSchema = { type: 'object' }, annotations = {} }) => {
      const why = !NAME.test(name)
        ? 'its name is not 1 to 128 letters, digits, "_", "-" and "."'
        : JSON.stringify(inputSchema).length > MAX_SCHEMA &&
          `its schema is longer than ${MAX_SCHEMA} characters`;
      if (why) {
        this.leftOut.add(`tool ${JSON.stringify(name.slice(0, 128))}: ${why}`);
        return [];
      }
      const short = shorten(description, MAX_DESCRIPTION);
      if (short !== flat(description))
        this.leftOut.add(`the description of tool "${name}" after the first ${MAX_DESCRIPTION} characters`);
      return [{ name, description: short, inputSchema, ...annotations, frame }];
    });
  }
}

/** Up to five problems of the input; none if the schema itself is not valid. */
export function problemsWith(schema: unknown, input: unknown): string[] {
  try {
    if (problemOfJsonSchema(schema, 'page') !== undefined) return [];
    const { error } = valuesOf(schema as JsonSchema, 'page').safeParse(input);
    return error ? problemsIn(error, 'input').slice(0, 5) : [];
  } catch {
    return [];
  }
}

/** Why this is not a JSON Schema of an object, or can't be checked; undefined if it is one. */
export function problemOfSchema(schema: unknown): string | undefined {
  const { type } = (schema ?? {}) as { type?: unknown };
  if (type !== 'object') return `its type is ${JSON.stringify(type) ?? 'missing'}, not "object"`;
  return problemOfJsonSchema(schema, 'page');
}
