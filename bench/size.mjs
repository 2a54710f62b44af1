// How many tokens an agent is shown of four pages, and whether every control in the viewport is among them.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchOptions } from '../scripts/browser.mjs';
import { bare, ours } from './lib/adapters.mjs';
import { missingFrom } from './lib/controls.mjs';
import { OTHER_TOOLS } from './lib/other-tools.mjs';
import { BENCH, QUIET } from './lib/packages.mjs';
import { startSite } from './lib/site.mjs';

const PAGES = {
  '/login': 'login form',
  '/shop': 'shop of 60 cards',
  '/table': 'table of 500 rows',
  '/links': '3,000 links',
};
/** How each tool marks controls. */
const REFERENCES = {
  ours: /\[ref_\d+\]/,
  'playwright-mcp': /\[ref=\w+\]/,
  Stagehand: /\[\d+-\d+\]/,
  'browser-use for Node': /\[\d+\]</,
  'agent-browser': /ref=e\d+/,
};
const VIEWPORT = pictureTokens(1280, 720);
/** What browser-use 0.8.0 showed of the same pages on 2026-11-21, for runs without it. */
const BROWSER_USE = { '/login': 181, '/shop': 363, '/table': 812, '/links': 1_494 };

export async function size({ others }) {
  const { count, tokenizer } = await tokenCounter();
  const site = await startSite();
  const page = await bare({ button: '', field: '' });
  const urls = Object.keys(PAGES).map(path => `${site.url}${path}`);
  const adapters = new Map([['ours', await ours(urls)]]);
  const problems = {};
  if (others)
    for (const [who, make] of OTHER_TOOLS)
      await make()
        .then(adapter => adapters.set(who, adapter))
        .catch(error => {
          problems[who] = String(error);
        });
  const browser = others ? agentBrowser() : undefined;
  const rows = [];
  const details = { tokenizer };
  try {
    for (const [path, what] of Object.entries(PAGES)) {
      const url = `${site.url}${path}`;
      const opened = await page.open(url);
      const { controls } = opened.body.observation;
      await page.leave(opened);
      const html = await (await fetch(url)).text();
      const shown = await showAll(adapters, url, problems);
      if (browser) shown.push({ who: 'agent-browser', text: await browser.show(url), note: 'snapshot -i' });
      const sizes = shown.map(each => measured(each, controls, count));
      rows.push(
        ...rowsOf(what, sizes, controls.length, count(html)),
        against(what, sizes, BROWSER_USE[path], tokenizer),
      );
      details[path] = { controls: controls.length, html: count(html), shown: sizes };
    }
    for (const [who, problem] of Object.entries(problems))
      rows.push({ name: who, value: null, unit: 'tokens', note: problem.split('\n')[0] });
  } finally {
    await browser?.stop();
    for (const adapter of [page, ...adapters.values()]) await adapter.stop();
    site.stop();
  }
  return { title: `what an agent is shown of a page, in tokens of ${tokenizer}`, rows, details };
}

async function showAll(adapters, url, problems) {
  const shown = [];
  for (const [who, adapter] of adapters) {
    try {
      let request = await adapter.open(url);
      if (who === 'ours') shown.push({ who, text: adapter.shown?.(request.body) ?? '', note: 'unasked' });
      if (who === 'ours')
        for (const kind of ['read_page', 'read_interactive']) {
          request.answer(adapter.answerTo(request, { kind, box: {} }));
          request = await adapter.server.next();
          shown.push({
            who,
            text: adapter.shown?.(request.body) ?? '',
            note: kind === 'read_page' ? 'read_page' : 'read_page, filter interactive',
          });
        }
      else
        shown.push({
          who,
          text: adapter.shown?.(request.body) ?? '',
          picture: who === 'Midscene',
          note: EXTRA[who],
        });
      await adapter.leave(request);
    } catch (error) {
      problems[`${who}: ${new URL(url).pathname}`] = String(error);
      // Its late answer would stand for the next page.
      adapters.delete(who);
      await adapter.stop();
    }
  }
  return shown;
}

const EXTRA = {
  Midscene: 'a picture, no text of the page',
  'browser-use for Node': `and a picture, ${VIEWPORT} tokens more`,
};

function measured({ who, text, note, picture }, controls, count) {
  const reference = REFERENCES[who];
  return {
    who,
    note,
    tokens: picture ? VIEWPORT : count(text),
    text: text.slice(0, 1_000),
    missing: reference ? missingFrom(controls, text, reference).map(({ name }) => name) : null,
  };
}

function rowsOf(what, sizes, controls, html) {
  const complete = each => each.missing?.length === 0;
  const rivals = sizes.filter(each => each.who !== 'ours' && complete(each));
  const smallest = rivals.sort((a, b) => a.tokens - b.tokens)[0];
  const rows = sizes.map(each => ({
    name: `${what}: ${each.who === 'ours' ? 'taskproof' : each.who}`,
    value: each.tokens,
    unit: 'tokens',
    note: [each.note, each.missing === null ? 'no references to check' : withControls(each.missing, controls)]
      .filter(Boolean)
      .join('; '),
  }));
  const verdicts = sizes
    .filter(each => each.who === 'ours' && each.note !== 'read_page' && smallest)
    .map(each => ({
      name: `${what}: ours (${each.note}) / the smallest neighbour with every control`,
      value: each.tokens / (smallest?.tokens ?? 0),
      unit: 'x',
      target: { atMost: 1 },
      note: `${smallest?.who}${complete(each) ? '' : '; OURS MISSES CONTROLS'}`,
    }));
  return [{ name: `${what}: its HTML`, value: html, unit: 'tokens' }, ...rows, ...verdicts];
}

/** Compares what is shown unasked with what browser-use shows, without the picture that browser-use adds. */
function against(what, sizes, recorded, tokenizer) {
  const unasked = sizes.find(({ note }) => note === 'unasked');
  const theirs = sizes.find(({ who }) => who === 'browser-use for Node')?.tokens ?? recorded;
  const comparable = unasked && tokenizer.startsWith('o200k');
  return {
    name: `${what}: shown unasked / browser-use`,
    value: comparable ? unasked.tokens / theirs : null,
    unit: 'x',
    target: { atMost: 1 },
    note: unasked?.missing?.length
      ? 'OURS MISSES CONTROLS'
      : `${unasked?.tokens} / ${theirs} tokens, with every control in view`,
  };
}

function withControls(missing, controls) {
  if (missing.length === 0) return `all ${controls} controls in view`;
  const named = missing
    .slice(0, 2)
    .map(name => `"${name}"`)
    .join(', ');
  return `${missing.length} of ${controls} controls in view are missing (${named}${missing.length > 2 ? ', ...' : ''})`;
}

/**
 * Counts the tokens of a text, in the same way for all. No vendor's tokenizer for its newest models is public, so o200k_base
 * is used for all of them. Without the bench's packages, a token is four characters.
 */
async function tokenCounter() {
  try {
    const { encode } = await import('gpt-tokenizer');
    return { tokenizer: 'o200k_base (gpt-tokenizer)', count: text => encode(text).length };
  } catch {
    return { tokenizer: 'characters / 4', count: text => Math.ceil(text.length / 4) };
  }
}

/** Tokens of a picture: by its area, once it is shrunk to what a model looks at. */
function pictureTokens(width, height) {
  const shrink = Math.min(1, 1568 / Math.max(width, height), Math.sqrt(1_150_000 / (width * height)));
  return Math.ceil((width * shrink * height * shrink) / 750);
}

/** agent-browser's command line, for what it shows of a page. Its launcher requires Node 24, but its program is native. */
function agentBrowser() {
  const system = process.platform === 'win32' ? 'win32' : process.platform;
  const name = `agent-browser-${system}-${process.arch}${process.platform === 'win32' ? '.exe' : ''}`;
  const program = join(BENCH, 'node_modules/agent-browser/bin', name);
  if (!existsSync(program)) return undefined;
  // An install without scripts does not make the program executable.
  chmodSync(program, 0o755);
  const home = mkdtempSync(join(tmpdir(), 'taskproof-bench-agent-browser-'));
  const { executablePath, args } = launchOptions();
  // Not synchronous, since this process serves the page that it opens.
  const run = async (...command) => {
    const { stdout } = await promisify(execFile)(program, command, {
      timeout: 60_000,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        ...process.env,
        ...QUIET,
        HOME: home,
        AGENT_BROWSER_SESSION: `bench-${process.pid}`,
        ...(executablePath ? { AGENT_BROWSER_EXECUTABLE_PATH: executablePath } : {}),
        ...(args.length > 0 ? { AGENT_BROWSER_ARGS: args.join(',') } : {}),
      },
    });
    return stdout;
  };
  return {
    async show(url) {
      await run('open', url);
      await run('set', 'viewport', '1280', '720');
      return run('snapshot', '-i');
    },
    async stop() {
      try {
        await run('close');
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}
