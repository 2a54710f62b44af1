// Drives the other tools. Each gets answers in its own format, made from what it showed its model.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { nodeOf, versionOf } from './packages.mjs';
import { startDriver } from './processes.mjs';
import { chatServer, jsonServer } from './server.mjs';

async function mcp() {
  const server = await jsonServer();
  const child = startDriver('mcp', { BENCH_SERVER: server.url });
  const refIn = ({ observation }, role, name) => {
    const line = observation.text.split('\n').find(each => each.includes(`${role} "${name}"`));
    return /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
  };
  const snapshotted = new Map();
  return {
    name: 'playwright-mcp',
    note: 'its tools alone, without a host',
    // Its answers only name a file with the page. The model needs another call to see it.
    blind: true,
    shown: body => body.observation?.text ?? '',
    server,
    open: async url => {
      const request = await server.next();
      request.answer({ do: 'call', tool: 'browser_navigate', arguments: { url } });
      const opened = await server.next();
      opened.answer({ do: 'call', tool: 'browser_snapshot', arguments: {} });
      const first = await server.next();
      snapshotted.set('page', first.body);
      return first;
    },
    answerTo: (_, { kind, url, button, field, text }) => {
      const page = snapshotted.get('page');
      const target = (role, name) => {
        const ref = refIn(page, role, name);
        return { element: name, target: ref, ref };
      };
      const calls = {
        click: () => ({ tool: 'browser_click', arguments: target('button', button) }),
        form_input: () => ({
          tool: 'browser_type',
          arguments: { ...target(field === 'Search' ? 'searchbox' : 'textbox', field), text },
        }),
        key: () => ({ tool: 'browser_press_key', arguments: { key: 'Tab' } }),
        hover: () => ({ tool: 'browser_hover', arguments: target('button', button) }),
        screenshot: () => ({ tool: 'browser_take_screenshot', arguments: { type: 'jpeg' } }),
        read_page: () => ({ tool: 'browser_snapshot', arguments: {} }),
        navigate: () => ({ tool: 'browser_navigate', arguments: { url } }),
      };
      const made = calls[kind]?.();
      return made && { do: 'call', ...made };
    },
    leave: async request => {
      request.answer({ do: 'call', tool: 'browser_navigate', arguments: { url: 'about:blank' } });
    },
    problem: body => body.observation?.error ?? null,
    output: child.output,
    stop: async () => {
      await child.stop();
      server.stop();
    },
  };
}

async function stagehand() {
  const chromium = fullChromium();
  if (!chromium) throw new Error('it needs a full Chromium, which takes extensions');
  const server = await jsonServer();
  const child = startDriver('stagehand', { BENCH_SERVER: server.url, BENCH_CHROMIUM: chromium }, nodeOf(23));
  const shownTo = ({ observation }) => String(observation?.params?.messages?.[0]?.content?.text ?? '');
  return {
    name: 'Stagehand',
    note: 'in a full Chromium, which its extension needs',
    server,
    open: async url => {
      (await server.next()).answer({ url });
      return server.next();
    },
    shown: shownTo,
    answerTo: ({ body }, { kind, button, field, text }) => {
      const id = line =>
        shownTo(body)
          .split('\n')
          .find(each => each.endsWith(`] ${line}`))
          ?.match(/\[(\d+-\d+)\]/)?.[1];
      const input = `${field === 'Search' ? 'searchbox' : 'textbox'}: ${field}`;
      const actions = {
        click: () => ({ elementId: id(`button: ${button}`), method: 'click', arguments: [] }),
        form_input: () => ({ elementId: id(input), method: 'fill', arguments: [text] }),
        key: () => ({ elementId: id(input), method: 'press', arguments: ['Tab'] }),
        hover: () => ({ elementId: id(`button: ${button}`), method: 'hover', arguments: [] }),
      };
      const action = actions[kind]?.();
      return action && { structured: { action: { description: kind, ...action }, twoStep: false } };
    },
    leave: async request => request.answer({ leave: true }),
    problem: ({ error }) => error ?? null,
    output: child.output,
    stop: async () => {
      await child.stop();
      server.stop();
    },
  };
}

/**
 * For tools with a loop of their own that asks a chat completions API. A second server tells the page to begin with.
 *
 * @param {string} script
 * @param {string | null} [node]
 */
async function looping(script, node) {
  const server = await chatServer();
  const control = await jsonServer();
  const child = startDriver(script, { BENCH_SERVER: server.url, BENCH_CONTROL: control.url }, node);
  let idle;
  return {
    server,
    open: async url => {
      idle = await control.next();
      if (idle.body.error) throw new Error(idle.body.error);
      idle.answer({ url });
      return Promise.race([
        server.next(),
        child.ended.then(() => Promise.reject(new Error(`it ended: ${child.output().slice(-500)}`))),
      ]);
    },
    output: child.output,
    stop: async () => {
      await child.stop();
      server.stop();
      control.stop();
    },
  };
}

/** All text of a chat message. */
const textOf = message =>
  typeof message.content === 'string'
    ? message.content
    : message.content.map(part => part.text ?? '').join('\n');

async function midscene() {
  const VIEWPORT = { width: 1280, height: 720 };
  return {
    name: 'Midscene',
    note: 'sees pictures only',
    ...(await looping('midscene')),
    shown: body => textOf(body.messages.at(-1)),
    answerTo: (_, { kind, box, fieldBox, text }) => {
      // In thousandths of the picture: top, left, bottom, right.
      const at = ({ x, y, width, height }) =>
        [
          ...[y / VIEWPORT.height, x / VIEWPORT.width],
          ...[(y + height) / VIEWPORT.height, (x + width) / VIEWPORT.width],
        ].map(share => Math.round(share * 1000));
      const locate = where => ({ prompt: 'the element', bbox: at(where) });
      const actions = {
        click: ['Tap', { locate: locate(box) }],
        form_input: ['Input', { locate: locate(fieldBox), value: text }],
        key: ['KeyboardPress', { keyName: 'Tab' }],
        hover: ['Hover', { locate: locate(box) }],
        scroll: ['Scroll', { direction: 'down', scrollType: 'singleAction', distance: 300 }],
      };
      const action = actions[kind];
      return (
        action &&
        `<planning>${kind}</planning><log>${kind}</log><action-type>${action[0]}</action-type><action-param-json>${JSON.stringify(action[1])}</action-param-json>`
      );
    },
    leave: async request =>
      request.answer('<planning>end</planning><complete success="true">done</complete>'),
  };
}

async function browserUse() {
  const shown = body =>
    /<browser_state>([\s\S]*?)<\/browser_state>/.exec(textOf(body.messages.at(-1)))?.[1] ?? '';
  const say = action =>
    JSON.stringify({
      thinking: '',
      evaluation_previous_goal: '',
      memory: '',
      next_goal: '',
      action: [action],
    });
  const adapter = await looping('browser-use');
  return {
    name: 'browser-use for Node',
    ...adapter,
    shown,
    answerTo: ({ body }, { kind, url, button, field, text }) => {
      const index = line =>
        Number(
          shown(body)
            .split('\n')
            .find(each => line.test(each))
            ?.match(/\[(\d+)\]/)?.[1] ?? Number.NaN,
        );
      const input = field === 'Search' ? /<input type=search/ : /<input type=email/;
      const actions = {
        click: () => ({ click: { index: index(new RegExp(`<button >${button}`)) } }),
        form_input: () => ({ input: { index: index(input), text } }),
        key: () => ({ send_keys: { keys: 'Tab' } }),
        scroll: () => ({ scroll: { down: true, pages: 0.4 } }),
        navigate: () => ({ navigate: { url } }),
      };
      const action = actions[kind]?.();
      return action && say(action);
    },
    leave: async request => {
      request.answer(say({ done: { text: 'Done.', success: true } }));
      // It asks the model to check the result once more.
      (await adapter.server.next()).answer(JSON.stringify({ is_correct: true, reason: '' }));
    },
    problem: body => /Result\s+(?:Error|Failed)[^\n]*/.exec(textOf(body.messages.at(-1)))?.[0] ?? null,
  };
}

/** @type {[string, () => Promise<import('./adapters.mjs').Adapter>][]} */
export const OTHER_TOOLS = [
  ['playwright-mcp', mcp],
  ['Stagehand', stagehand],
  ['Midscene', midscene],
  ['browser-use for Node', browserUse],
];

/** @returns {Record<string, string>} */
export const versions = () => {
  const packages = ['@browserbasehq/stagehand', '@midscene/web', '@playwright/mcp'];
  const found = [...packages, 'browser-use', 'agent-browser', 'playwright'].map(name => [
    name,
    versionOf(name),
  ]);
  return Object.fromEntries(found.filter(([, version]) => version));
};

/** A Chromium that supports extensions. The headless shell does not. */
function fullChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap(folder => names.map(name => join(folder, name)))
    .find(path => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
