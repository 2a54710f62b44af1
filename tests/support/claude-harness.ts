// A browser, pages for the members of the browser tool, and calls as a model makes them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { BrowserContextOptions, Page } from '@playwright/test';
import { afterEach, expect } from 'vitest';
import { BrowserToolset, ComputerToolset, type Members } from '../../src/agents/claude/toolsets';
import { Driver } from '../../src/agents/tools/driver';
import type { Action } from '../../src/data/record';
import { agentTask, endTasks, type TaskSetup } from './agent-task';
import { call, type JsonObject, textsOf } from './messages-api';
import { browserOfTests } from './shared-browser';
import { serverOfTests } from './two-sites';
import { usedPages } from './used-pages';

export interface Result {
  text: string;
  isError: boolean;
  image: Buffer | undefined;
  tabs: { tab_id: string; url: string; title: string; active?: boolean }[];
  changes: JsonObject[];
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;
export type Pages = Record<string, string | Handler>;

export function html(body: string, title = 'Test page'): string {
  return `<!doctype html><title>${title}</title><body style="margin:0">${body}</body>`;
}

function resultOf(block: BetaToolResultBlockParam): Result {
  const content = (Array.isArray(block.content) ? block.content : []) as unknown as JsonObject[];
  const image = content.find(part => part.type === 'image');
  const state = content.find(part => part.type === 'browser_state') as JsonObject | undefined;
  return {
    text: textsOf(block.content as never).join('\n'),
    isError: block.is_error === true,
    image: image && Buffer.from((image.source as { data: string }).data, 'base64'),
    tabs: (state?.tabs ?? []) as unknown as Result['tabs'],
    changes: (state?.state_changes ?? []) as JsonObject[],
  };
}

/**
 * Expects that something does not wait for a limit, on machines of any speed: what waits for a timer is never faster than
 * it, and what does not wait is faster in at least one of several tries.
 *
 * @param prepare prepares one try, and returns the function to time
 */
export async function quickest(limitMs: number, prepare: () => Promise<() => Promise<unknown>>) {
  const times: number[] = [];
  while (times.length < 10 && !times.some(time => time < limitMs)) {
    const act = await prepare();
    const before = performance.now();
    await act();
    times.push(performance.now() - before);
  }
  expect(Math.min(...times), `ms of ${times.length} tries`).toBeLessThan(limitMs);
}

/** Serves `pages` on 127.0.0.1 while the file's tests run. @param args what the browser needs besides */
export function harness(pages: Pages, args: string[] = []) {
  const browser = browserOfTests(...args);
  const site = serverOfTests((request, response) => {
    const page = pages[request.url!.split('?')[0]!];
    if (typeof page === 'function') return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page ?? 'not found');
  });
  const cleanups: (() => unknown)[] = [];

  const used = usedPages(browser);
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** @param context of a page of its own, which closes with the test; else it may be one that another test had */
  async function openPage(path: string, context?: BrowserContextOptions) {
    const page = context ? await (await browser().newContext(context)).newPage() : await used.take();
    cleanups.push(() => (context ? page.context().close() : endTasks(page)));
    await page.goto(site.url + path);
    return page;
  }

  let kept: Promise<Page> | undefined;
  /** The page at `/`, one for the file's tests: where a trial only looks at it. */
  function samePage(): Promise<Page> {
    kept ??= browser()
      .newPage()
      .then(async page => {
        await page.goto(`${site.url}/`);
        return page;
      });
    return kept;
  }

  async function open(
    path: string,
    setup: TaskSetup & { context?: BrowserContextOptions; members?: Members } = {},
  ) {
    const opened = drive(await openPage(path, setup.context), setup);
    cleanups.push(() => {
      opened.driver.session.dialogs.policy = undefined;
    });
    return opened;
  }

  const shared = new Map<string, Promise<ReturnType<typeof drive>>>();
  /** What `open` returns, one for the file's tests: for those that can undo what others did, without a navigation. */
  function openOnce(path: string) {
    const opened =
      shared.get(path) ??
      browser()
        .newPage()
        .then(page => page.goto(site.url + path).then(() => drive(page)));
    shared.set(path, opened);
    return opened;
  }

  function drive(page: Page, setup: TaskSetup & { members?: Members } = {}) {
    const task = agentTask(page, setup);
    const driver = new Driver(task);
    const actions: Action[] = [];
    driver.onDone = done => void actions.push(done);
    const browserTools = new BrowserToolset(driver, setup.members);
    const computerTools = new ComputerToolset(driver);
    const toolUse = (name: string, input: JsonObject, toolset: string) =>
      call(name, input, toolset) as unknown as BetaToolUseBlock;
    /** Calls a member of the browser toolset. */
    const run = async (name: string, input: JsonObject = {}) =>
      resultOf(await browserTools.toolResult(toolUse(name, input, 'browser')));
    const compute = async (name: string, input: JsonObject = {}) =>
      resultOf(await computerTools.toolResult(toolUse(name, input, 'computer')));
    /** The reference of an element, found by reading the whole page. */
    const ref = async (line: RegExp) => {
      const { text } = await run('read_page', { filter: 'all' });
      const hit = text.split('\n').find(each => line.test(each) && each.includes('ref_'));
      expect(hit, `no line with a ref matches ${line} in\n${text}`).toBeTruthy();
      return { type: 'ref', ref: /ref_\d+/.exec(hit!)![0] };
    };
    /** Acts, and expects it to work. */
    const act = async (name: string, input: JsonObject = {}) => {
      const result = await run(name, input);
      expect(result.isError, result.text).toBe(false);
      return result;
    };
    return {
      page,
      task,
      driver,
      run,
      act,
      compute,
      ref,
      actions,
      tools: browserTools,
      log: () => page.evaluate('window.log'),
    };
  }

  return { open, openOnce, openPage, samePage, origin: () => site.url };
}
