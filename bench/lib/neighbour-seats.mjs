// The neighbours in the bench of turns: each is answered in its own words, from what it showed its model.
import { jsonDoor, openAiDoor } from './door.mjs';
import { fullChromium, launch } from './launch.mjs';
import { nodeOf, versionOf } from './neighbours.mjs';

/** @typedef {import('./seats.mjs').Seat} Seat */
/** @typedef {import('./seats.mjs').Step} Step */

/** @returns {Promise<Seat>} */
export async function mcpSeat() {
  const door = await jsonDoor();
  const child = launch('mcp', { BENCH_DOOR: door.url });
  const refIn = (
    /** @type {any} */ { observation },
    /** @type {string} */ role,
    /** @type {string} */ name,
  ) => {
    const line = observation.text
      .split('\n')
      .find((/** @type {string} */ each) => each.includes(`${role} "${name}"`));
    return /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
  };
  const snapshotted = new Map();
  return {
    name: 'playwright-mcp',
    note: 'its tools alone, without a host',
    // Its answers name a file that holds the page; the model sees the page by another call.
    blind: true,
    shown: body => body.observation?.text ?? '',
    door,
    open: async url => {
      const asked = await door.next();
      asked.answer({ do: 'call', tool: 'browser_navigate', arguments: { url } });
      const opened = await door.next();
      opened.answer({ do: 'call', tool: 'browser_snapshot', arguments: {} });
      const first = await door.next();
      snapshotted.set('page', first.body);
      return first;
    },
    answerTo: (_, { kind, url, button, field, text }) => {
      const page = snapshotted.get('page');
      const target = (/** @type {string} */ role, /** @type {string} */ name) => {
        const ref = refIn(page, role, name);
        return { element: name, target: ref, ref };
      };
      /** @type {Record<string, () => object>} */
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
    leave: async asked => {
      asked.answer({ do: 'call', tool: 'browser_navigate', arguments: { url: 'about:blank' } });
    },
    problem: body => body.observation?.error ?? null,
    output: child.output,
    stop: async () => {
      await child.stop();
      door.stop();
    },
  };
}

/** @returns {Promise<Seat>} */
export async function stagehandSeat() {
  const chromium = fullChromium();
  if (!chromium) throw new Error('it needs a full Chromium, which takes extensions');
  const door = await jsonDoor();
  const child = launch('stagehand', { BENCH_DOOR: door.url, BENCH_CHROMIUM: chromium }, nodeOf(23));
  const shownTo = (/** @type {any} */ { observation }) =>
    String(observation?.params?.messages?.[0]?.content?.text ?? '');
  return {
    name: 'Stagehand',
    note: 'in a full Chromium, which its extension needs',
    door,
    open: async url => {
      (await door.next()).answer({ url });
      return door.next();
    },
    shown: shownTo,
    answerTo: ({ body }, { kind, button, field, text }) => {
      const id = (/** @type {string} */ line) =>
        shownTo(body)
          .split('\n')
          .find(each => each.endsWith(`] ${line}`))
          ?.match(/\[(\d+-\d+)\]/)?.[1];
      const input = `${field === 'Search' ? 'searchbox' : 'textbox'}: ${field}`;
      /** @type {Record<string, () => object>} */
      const actions = {
        click: () => ({ elementId: id(`button: ${button}`), method: 'click', arguments: [] }),
        form_input: () => ({ elementId: id(input), method: 'fill', arguments: [text] }),
        key: () => ({ elementId: id(input), method: 'press', arguments: ['Tab'] }),
        hover: () => ({ elementId: id(`button: ${button}`), method: 'hover', arguments: [] }),
      };
      const action = actions[kind]?.();
      return action && { structured: { action: { description: kind, ...action }, twoStep: false } };
    },
    leave: async asked => asked.answer({ leave: true }),
    problem: ({ observation }) => observation.error ?? null,
    output: child.output,
    stop: async () => {
      await child.stop();
      door.stop();
    },
  };
}

/**
 * Those that ask a chat completions API from a loop of their own: a second door says which page to begin with.
 *
 * @param {string} script
 * @param {string | null} [node]
 */
async function looping(script, node) {
  const door = await openAiDoor();
  const control = await jsonDoor();
  const child = launch(script, { BENCH_DOOR: door.url, BENCH_CONTROL: control.url }, node);
  /** @type {any} */
  let idle;
  return {
    door,
    open: async (/** @type {string} */ url) => {
      idle = await control.next();
      if (idle.body.error) throw new Error(idle.body.error);
      idle.answer({ url });
      return Promise.race([
        door.next(),
        child.ended.then(() => Promise.reject(new Error(`it ended: ${child.output().slice(-500)}`))),
      ]);
    },
    output: child.output,
    stop: async () => {
      await child.stop();
      door.stop();
      control.stop();
    },
  };
}

/** Everything that a chat message says in words. */
const textOf = (/** @type {any} */ message) =>
  typeof message.content === 'string'
    ? message.content
    : message.content.map((/** @type {any} */ part) => part.text ?? '').join('\n');

/** @returns {Promise<Seat>} */
export async function midsceneSeat() {
  const VIEWPORT = { width: 1280, height: 720 };
  return {
    name: 'Midscene',
    note: 'sees pictures only',
    ...(await looping('midscene')),
    shown: body => textOf(body.messages.at(-1)),
    answerTo: (_, { kind, box, fieldBox, text }) => {
      // In thousandths of the picture: top, left, bottom, right.
      const at = (/** @type {Step['box']} */ { x, y, width, height }) =>
        [
          ...[y / VIEWPORT.height, x / VIEWPORT.width],
          ...[(y + height) / VIEWPORT.height, (x + width) / VIEWPORT.width],
        ].map(share => Math.round(share * 1000));
      const locate = (/** @type {Step['box']} */ where) => ({ prompt: 'the element', bbox: at(where) });
      /** @type {Record<string, [string, object]>} */
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
    leave: async asked => asked.answer('<planning>end</planning><complete success="true">done</complete>'),
  };
}

/** @returns {Promise<Seat>} */
export async function browserUseSeat() {
  const shown = (/** @type {any} */ body) =>
    /<browser_state>([\s\S]*?)<\/browser_state>/.exec(textOf(body.messages.at(-1)))?.[1] ?? '';
  const say = (/** @type {object} */ action) =>
    JSON.stringify({
      thinking: '',
      evaluation_previous_goal: '',
      memory: '',
      next_goal: '',
      action: [action],
    });
  const seat = await looping('browser-use');
  return {
    name: 'browser-use for Node',
    ...seat,
    shown,
    answerTo: ({ body }, { kind, url, button, field, text }) => {
      const index = (/** @type {RegExp} */ line) =>
        Number(
          shown(body)
            .split('\n')
            .find(each => line.test(each))
            ?.match(/\[(\d+)\]/)?.[1] ?? Number.NaN,
        );
      const input = field === 'Search' ? /<input type=search/ : /<input type=email/;
      /** @type {Record<string, () => object>} */
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
    leave: async asked => {
      asked.answer(say({ done: { text: 'Done.', success: true } }));
      // It has the model look at the end once more.
      (await seat.door.next()).answer(JSON.stringify({ is_correct: true, reason: '' }));
    },
    problem: body => /Result\s+(?:Error|Failed)[^\n]*/.exec(textOf(body.messages.at(-1)))?.[0] ?? null,
  };
}

/** Who can take part, by the package that must be there. @type {[string, string, () => Promise<Seat>][]} */
export const NEIGHBOURS = [
  ['playwright-mcp', '@playwright/mcp', mcpSeat],
  ['Stagehand', '@browserbasehq/stagehand', stagehandSeat],
  ['Midscene', '@midscene/web', midsceneSeat],
  ['browser-use for Node', 'browser-use', browserUseSeat],
];

/** @returns {Record<string, string>} */
export const versions = () =>
  Object.fromEntries(
    [
      '@browserbasehq/stagehand',
      '@midscene/web',
      '@playwright/mcp',
      'browser-use',
      'agent-browser',
      'playwright',
    ].flatMap(name => {
      const version = versionOf(name);
      return version ? [[name, version]] : [];
    }),
  );
