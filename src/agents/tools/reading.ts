// Tools that only look (at a page's elements, text, picture, console and requests), and the tool that runs scripts.
import type { Page, Request } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { findText } from '../../browser/reading/find';
import { pageText, readPage, runScript } from '../../browser/reading/page-tree';
import { zoomedForModel } from '../../browser/session/pictures';
import { shorten } from '../../text/line';
import { defineTool, lookTool, quote } from './tool';

/** The most characters of a line of the console or the network. */
const MAX_LINE = 500;
const FILTERS = { all: 'the whole page', interactive: 'what can be acted on' };

const filter = z.enum(['all', 'interactive']);

const readPageTool = defineTool({
  name: 'read_page',
  description: 'Reads a page as a tree of its elements, with the references (ref_7) to act on them by.',
  input: z.object({
    filter: filter.nullish(),
    depth: z.int().min(1).nullish(),
    ref: z.string().nullish(),
  }),
  flat: () =>
    z.object({
      filter: filter.optional().describe('Default: what is in the viewport.'),
      ref: z.string().optional().describe('Only this element and what is in it.'),
    }),
  acts: false,
  words: ({ filter, ref }, { refs }) =>
    `read ${ref ? (refs.wordsOf(ref) ?? ref) : filter ? FILTERS[filter] : 'the page'}`,
  async handle({ filter, depth, ref }, driver, page) {
    // Located before the snapshot: if the reference is stale, there is nothing to read.
    const found = ref ? await driver.refs.locate(page, ref) : undefined;
    const snapshot = await driver.refs.snapshot(page);
    const { roots, above, below } = snapshot;
    if (!found) {
      driver.observations.note(page, snapshot, filter === 'all');
      driver.isStale = false;
    }
    // Title and address are left out: every result includes the list of tabs, which has them.
    const header = above || below ? `${above} px above and ${below} px below the viewport` : '';
    const root = found && driver.refs.nodeOf(page, found.ref);
    return readPage(header, roots, { filter: root && !filter ? 'all' : filter, depth, root });
  },
});

const find = defineTool({
  name: 'find',
  description: 'Finds elements by a description, and returns their references.',
  input: z.object({ query: z.string().min(1) }),
  acts: false,
  words: ({ query }) => `look for ${quote(query)}`,
  handle: async ({ query }, { refs }, page) => findText(query, (await refs.snapshot(page)).roots),
});

const zoom = defineTool({
  name: 'zoom',
  input: z.object({ region: z.tuple([z.number(), z.number(), z.number(), z.number()]) }),
  acts: false,
  words: () => 'look closer at the page',
  async handle({ region: [x0, y0, x1, y1] }, driver, page) {
    const from = await driver.pointOf(page, { x: Math.min(x0, x1), y: Math.min(y0, y1) });
    const to = await driver.pointOf(page, { x: Math.max(x0, x1), y: Math.max(y0, y1) });
    const [width, height] = [to.x - from.x, to.y - from.y];
    if (width < 1 || height < 1) throw new DriverError('zoom needs a region with a size: [x0, y0, x1, y1]');
    return zoomedForModel(page, { ...from, width, height });
  },
});

export const javascriptExec = defineTool({
  name: 'javascript_exec',
  input: z.object({ text: z.string().min(1) }),
  words: ({ text }) => `run the script ${quote(text)}`,
  handle: ({ text }, _, page) => runScript(page, text),
});

/** Reads and clears the console. Playwright keeps the newest 200 lines and errors of a tab. */
async function newInConsole(page: Page): Promise<string> {
  const [messages, errors] = await Promise.all([page.consoleMessages(), page.pageErrors()]);
  await Promise.all([page.clearConsoleMessages(), page.clearPageErrors()]);
  return newLines([
    ...messages.map(message => `${message.type()}: ${message.text()}`),
    ...errors.map(({ message }) => `uncaught: ${message}`),
  ]);
}

const alreadyRead = new WeakSet<Request>();

/** The requests that ended since the last read. Playwright keeps the newest 100 of a tab. */
async function newRequests(page: Page): Promise<string> {
  const all = await page.requests();
  const ended = all.filter(
    request => !alreadyRead.has(request) && (request.failure() || isAnswered(request)),
  );
  for (const request of ended) alreadyRead.add(request);
  return newLines(ended.map(lineOfRequest));
}

const isAnswered = (request: Request) => request.timing().responseEnd >= 0;

function lineOfRequest(request: Request): string {
  const response = request.existingResponse();
  const failure = request.failure()?.errorText;
  const type = response?.headers()['content-type']?.split(';')[0] ?? request.resourceType();
  const { responseEnd } = request.timing();
  const took = responseEnd >= 0 ? ` ${Math.round(responseEnd)} ms` : '';
  return `${request.method()} ${request.url()} ${response?.status() ?? failure ?? 'no answer'} ${type}${took}`;
}

const newLines = (lines: readonly string[]) =>
  lines.map(line => shorten(line, MAX_LINE)).join('\n') || '(nothing since the last read)';

export const READING_TOOLS = [
  readPageTool,
  lookTool('get_page_text', "read the page's text", pageText, 'Reads the text of a page.'),
  find,
  lookTool(
    'screenshot',
    'take a screenshot',
    (page, driver) => driver.picture(page),
    'Takes a picture of the viewport.',
  ),
  zoom,
  lookTool('read_console', 'read the console', newInConsole),
  lookTool('read_network', 'read the network log', newRequests),
];
