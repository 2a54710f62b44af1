// The tools that a page registers for agents (WebMCP), read and called through Playwright. All that they say is the page's
// words: bounded here, and offered only if their document is of an admitted host.
import { setTimeout } from 'node:timers/promises';
import type { Frame, Page } from '@playwright/test';
import { parsedUrl } from '../spec/url';
import type { ActionRecorder } from './action-recorder';
import { DriverError } from './driver/errors';
import { evaluateUnseen } from './evaluate';
import { hostAllowed } from './hosts';
import type { Session } from './session';
import { within } from './waiting';

/** `auto`: beside all else; `only`: instead of every other way to act; false: hidden. */
export type PageToolsMode = 'auto' | 'only' | false;

/** A tool that a page registers for agents. All texts are the page's own. */
export interface PageTool {
  /** Letters, digits, `_`, `-` and `.`; unique on the page. */
  name: string;
  /** Cut at 1,000 characters. */
  description: string;
  /** JSON Schema; `{ type: 'object' }` if the page gives none. */
  inputSchema: unknown;
  /** The page says that it changes nothing. */
  readOnly?: boolean;
  /** The page says that it does something that matters, such as placing an order. */
  consequential?: boolean;
  /** The page says that its result may hold words of others. */
  untrustedContent?: boolean;
}

export interface PageToolCallOptions {
  /** Milliseconds for the answer. Default: 15,000. */
  timeoutMs?: number | undefined;
}

/** Milliseconds for a page to tell its tools, and for a tool to answer. */
const LIST_LIMIT_MS = 2_000;
const CALL_LIMIT_MS = 15_000;
/** Milliseconds between two looks: whether a tool is there, or waits for its form to be sent. */
const PAUSE_MS = 100;
const MAX_TOOLS = 500;
const MAX_DESCRIPTION = 1_000;
/** Characters of a schema; a tool with a longer one is not offered. */
const MAX_SCHEMA = 20_000;
/** Characters of all that the tools of a page say: to pass on more keeps the browser busy for seconds. */
const MAX_SAID = 20_000_000;
const NAME = /^[\w.-]{1,128}$/;

interface Found extends PageTool {
  frame: Frame;
}

/** What can be told of a document's tools without reading them. */
interface Outline {
  size: number;
  /** The same for the same tools, if they are not many. */
  key: string;
  /** Frames of its origin have some, too. */
  inFrames: boolean;
}

export class PageTools {
  private readonly known = new WeakMap<Page, { key: string; found: Found[] }>();
  /** `isSupported` has found that there is no WebMCP: pages are not asked for nothing. */
  private isLacking = false;
  /** Tools that are not offered, and why, in sentences. */
  readonly leftOut = new Set<string>();
  /** Addresses of pages whose tools are too much to be read. */
  private readonly tooMuch = new WeakMap<Page, string>();

  /** @param allowedDomains hostnames, optionally with a leading `*.` */
  constructor(
    private readonly session: Pick<Session, 'page' | 'notice'>,
    private readonly allowedDomains: readonly string[],
    readonly mode: PageToolsMode = 'auto',
  ) {}

  /**
   * Whether the browser has WebMCP, and Playwright may use it; false if page tools are turned off. A page that does not
   * answer, or says too much, tells nothing about that: true.
   */
  async isSupported(): Promise<boolean> {
    const { page } = this.session;
    const outline = this.mode === false ? null : await this.outlineOf(page);
    this.isLacking = outline === null;
    if (!outline) return !this.isLacking;
    const answer = await page.webmcp.tools({ timeout: LIST_LIMIT_MS }).catch(String);
    this.isLacking = typeof answer === 'string' && /not (enabled|supported)/.test(answer);
    return !this.isLacking;
  }

  /** The tools of a page and its frames, those of its own document first. Empty where there are none, or no WebMCP. */
  async list(page = this.session.page): Promise<PageTool[]> {
    const found = await this.find(page);
    return found.map(({ frame: _, ...tool }) => tool);
  }

  /**
   * Calls a tool. One that goes to another page, or fills in a form that is then to be sent, answers with undefined; a notice
   * says so.
   *
   * @param input with the values of secrets
   * @param options.recorder notes the call, unless it fails
   * @param options.waitMs how long the page may take to register the tool; by default it has to be there
   * @throws DriverError, in words for a model, if the page has no such tool, its schema refuses the input (which the page
   * never gets then), it throws, or it does not answer in time.
   */
  async call(
    page: Page,
    name: string,
    input: object,
    options: PageToolCallOptions & { recorder?: ActionRecorder | undefined; waitMs?: number } = {},
  ): Promise<unknown> {
    const { timeoutMs = CALL_LIMIT_MS, recorder, waitMs = 0 } = options;
    const end = performance.now() + waitMs;
    let tools = await this.find(page);
    const named = () => tools.find(tool => tool.name === name);
    while (!named() && performance.now() < end) {
      await setTimeout(PAUSE_MS);
      tools = await this.find(page);
    }
    const tool = named();
    if (!tool) throw new DriverError(`The page has no tool ${JSON.stringify(name)}. ${namesOf(tools)}`);
    const { problemsWith } = await import('./tool-input.js');
    const problems = problemsWith(tool.inputSchema, input);
    if (problems.length > 0)
      throw new DriverError(
        `Not sent to the page, since its tool "${name}" does not take this input: ${problems.join('; ')}. Its schema: ${JSON.stringify(tool.inputSchema)}`,
      );
    await recorder?.record(page, { do: 'call_page_tool', name, input: input as Record<string, unknown> });
    try {
      return await this.answer(page, tool, input, timeoutMs);
    } catch (error) {
      recorder?.drop();
      throw error;
    }
  }

  /**
   * Calls a tool in its frame with whatever input, as scripts of the page may.
   *
   * @throws DriverError if the page has no such tool; Playwright's error if it throws or is late.
   */
  async callUnchecked(page: Page, name: string, input: object, timeout: number): Promise<unknown> {
    const tools = await this.find(page);
    const tool = tools.find(each => each.name === name);
    if (!tool) throw new DriverError(`The page has no tool ${JSON.stringify(name)}. ${namesOf(tools)}`);
    return tool.frame.webmcp.callTool(name, input as never, { timeout });
  }

  private async answer(page: Page, { name, frame }: Found, input: object, timeout: number): Promise<unknown> {
    let ended = false;
    const answered = frame.webmcp.callTool(name, input as never, { timeout }).finally(() => {
      ended = true;
    });
    // The form may be sent long after.
    answered.catch(() => undefined);
    const script = `(${isFilledIn})(${JSON.stringify(name)})`;
    const ask = () => (frame === page.mainFrame() ? evaluateUnseen(page, script) : frame.evaluate(script));
    const filled = async () => {
      while (!ended) {
        const isFilled = await within(ask(), LIST_LIMIT_MS);
        if (isFilled === null) return answered;
        if (isFilled)
          return this.session.notice(
            `The page tool "${name}" has filled in its form, which is sent with the form's own button.`,
          );
        await setTimeout(PAUSE_MS);
      }
      return answered;
    };
    const left = () => this.session.notice(`The page tool "${name}" left its page before it answered.`);
    try {
      const answer = await Promise.race([answered, filled()]);
      // A frame may have gone to another host, whose words are not offered.
      return frame === page.mainFrame() || (this.admits(frame) && (await isOfParent(frame)))
        ? answer
        : left();
    } catch (error) {
      const message = (error as Error).message.split('\n')[0]!.replace(/^\w+\.callTool: /, '');
      if (/context was destroyed|frame was detached|has been closed/i.test(message)) return left();
      if (/^Timeout/.test(message))
        throw new DriverError(
          `The page's tool "${name}" did not answer within ${timeout / 1000} s. It may have had an effect: look before you call it again.`,
        );
      throw new DriverError(`The page's tool "${name}" failed: ${message}`);
    }
  }

  private async find(page: Page): Promise<Found[]> {
    const main = page.mainFrame();
    const isOff = this.mode === false || this.isLacking || !this.admits(main);
    const outline = isOff ? null : await this.outlineOf(page);
    if (!outline) return [];
    const isOwn = (frame: Frame) => originOf(frame) === originOf(main);
    const frames = page
      .frames()
      .filter(frame => frame === main || ((outline.inFrames || !isOwn(frame)) && this.admits(frame)));
    // The frames of other hosts tell nothing beforehand.
    const isTold = frames.every(isOwn);
    const known = this.known.get(page);
    if (isTold && known?.key === outline.key) return known.found;
    this.leftOut.clear();
    const lists = await Promise.all(frames.map(frame => this.read(frame)));
    const names = new Set<string>();
    const all = lists.flat().filter(({ name }) => !names.has(name) && names.add(name));
    const found = all.slice(0, MAX_TOOLS);
    if (all.length > MAX_TOOLS) this.leftOut.add(`all tools after the first ${MAX_TOOLS}`);
    this.known.set(page, { key: outline.key, found });
    return found;
  }

  /** Null if the page has no WebMCP; undefined if it does not answer, and if there is too much to be read. */
  private async outlineOf(page: Page): Promise<Outline | null | undefined> {
    const address = page.url();
    if (this.tooMuch.get(page) === address) return undefined;
    const asked = evaluateUnseen(page, `(${outlineTools})()`) as Promise<Outline | null>;
    const outline = await within(asked, LIST_LIMIT_MS);
    if (!outline || outline.size <= MAX_SAID) return outline;
    this.tooMuch.set(page, address);
    this.session.notice("This page's descriptions of its tools are too large: none is offered.");
    return undefined;
  }

  private async read(frame: Frame): Promise<Found[]> {
    const tools = await frame.webmcp.tools({ timeout: LIST_LIMIT_MS }).catch(() => []);
    // Meanwhile it may have gone elsewhere.
    if (tools.length === 0 || !this.admits(frame) || !(await isOfParent(frame))) return [];
    return tools.flatMap(({ name, description, inputSchema = { type: 'object' }, annotations = {} }) => {
      const why = !NAME.test(name)
        ? 'its name is not 1 to 128 letters, digits, "_", "-" and "."'
        : JSON.stringify(inputSchema).length > MAX_SCHEMA &&
          `its schema is longer than ${MAX_SCHEMA} characters`;
      if (why) this.leftOut.add(`tool ${JSON.stringify(name.slice(0, 128))}: ${why}`);
      return why ? [] : [{ name, description: cut(description), inputSchema, ...annotations, frame }];
    });
  }

  /** A blank document is its parent's, which `isOfParent` checks. */
  private admits(frame: Frame): boolean {
    const parent = frame.parentFrame();
    return frame.url().startsWith('about:') && parent
      ? this.admits(parent)
      : hostAllowed(frame.url(), this.allowedDomains);
  }
}

/** Another host can make a blank frame of a page its own, at no other address: the page can't reach into it then. */
async function isOfParent(frame: Frame): Promise<boolean> {
  const parent = frame.parentFrame();
  if (!parent || !frame.url().startsWith('about:')) return true;
  const reached = frame
    .frameElement()
    .then(element => element.evaluate(each => (each as HTMLIFrameElement).contentDocument !== null));
  return (await within(reached, LIST_LIMIT_MS)) === true && isOfParent(parent);
}

function originOf(frame: Frame): string | undefined {
  const parent = frame.parentFrame();
  return frame.url().startsWith('about:') && parent ? originOf(parent) : parsedUrl(frame.url())?.origin;
}

function cut(text: string): string {
  const whole = text.slice(0, MAX_DESCRIPTION * 2).toWellFormed();
  return whole.length > MAX_DESCRIPTION ? `${whole.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…` : whole;
}

/** Characters of names in an error. */
const MAX_NAMES = 2_000;

function namesOf(tools: readonly PageTool[]): string {
  const names = tools.map(({ name }) => name).join(', ');
  return tools.length === 0 ? 'It has none.' : `Its tools: ${names.slice(0, MAX_NAMES)}.`;
}

/** What a page's script has of WebMCP: as drafted, and as some browsers still have it. */
interface ModelContext {
  getTools?(): Promise<
    { name: string; description?: string; inputSchema?: unknown; annotations?: unknown; window?: unknown }[]
  >;
}

/** Runs in the page. */
async function outlineTools(): Promise<Outline | null> {
  const { modelContext = (navigator as { modelContext?: ModelContext }).modelContext } =
    document as unknown as { modelContext?: ModelContext };
  if (!modelContext) return null;
  const tools = (await modelContext.getTools?.()) ?? [];
  const said = tools.map(({ name, description = '', inputSchema = '', annotations }) => [
    name,
    description,
    typeof inputSchema === 'string' ? inputSchema : JSON.stringify(inputSchema),
    JSON.stringify(annotations ?? null),
  ]);
  const size = said.flat().reduce((sum, { length }) => sum + length, 0);
  const told = size > 50_000 ? said.map(texts => texts.map(({ length }) => length)) : said;
  const inFrames = tools.some(tool => tool.window && tool.window !== window);
  return { size, key: JSON.stringify([performance.timeOrigin, told]), inFrames };
}

/** Runs in the page. Whether a form's tool has filled it in, and waits for it to be sent; null if it is no such form's. */
function isFilledIn(name: string): boolean | null {
  const forms = [...document.querySelectorAll('form[toolname]:not([toolautosubmit])')];
  const own = forms.filter(form => form.getAttribute('toolname') === name);
  return own.length === 0 ? null : own.some(form => form.matches(':tool-form-active'));
}
