// Drives the library itself, and the bare Playwright calls that it is compared with.
import { load } from '../../scripts/bundle.mjs';
import { claudeSuite, startDriver } from './processes.mjs';
import { jsonServer, messagesServer } from './server.mjs';

/** @typedef {import('./server.mjs').HeldRequest} HeldRequest */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ kind: string, url: string, button: string, field: string, text: string, box: Box, fieldBox: Box }} Action */

/**
 * What the bench needs to drive a tool: the answers that make it perform an action, and what it showed its model.
 *
 * @typedef {object} Adapter
 * @property {string} name
 * @property {string} [note]
 * @property {boolean} [blind] its turns end without a look at the page
 * @property {import('./server.mjs').HoldingServer} server
 * @property {(url: string) => Promise<HeldRequest>} open a page in a fresh session; resolves to the request that waits for the first action
 * @property {(request: HeldRequest, action: Action) => unknown} answerTo undefined if it has no such action
 * @property {(request: HeldRequest) => Promise<unknown>} leave ends the session
 * @property {(body: any) => string} [shown] the part of a request that describes the page
 * @property {() => string} output what its process printed last
 * @property {(body: any) => string | null} [problem] what went wrong in the last action, by the request after it
 * @property {() => Promise<unknown>} stop
 */

const middleOf = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/**
 * The bare call and one picture. It also reports where things are, for tools that act by coordinates.
 *
 * @param {{ button: string, field: string }} targets
 * @returns {Promise<Adapter>}
 */
export async function bare(targets) {
  const server = await jsonServer();
  const child = startDriver('bare', { BENCH_SERVER: server.url });
  return {
    name: 'bare Playwright call and one page.screenshot',
    server,
    open: async url => {
      const { body, answer } = await server.next();
      if (body.observation?.error) throw new Error(body.observation.error);
      answer({ do: 'open', url, ...targets });
      return server.next();
    },
    answerTo: (_, { kind, url, button, field, text, box }) => {
      const given = {
        click: { name: button },
        click_at: middleOf(box),
        form_input: { name: field, text },
        type: { text },
        key: { key: 'Tab' },
        hover: { name: button },
        scroll: { ...middleOf(box), pixels: 300 },
        navigate: { url },
      }[kind];
      return { do: kind, ...given };
    },
    leave: async request => request.answer({ do: 'leave' }),
    problem: body => body.observation?.error ?? null,
    output: child.output,
    stop: async () => {
      await child.stop();
      server.stop();
    },
  };
}

/**
 * claude() as users run it: trials in a real Playwright run, one for each session, with guard, network log, record and
 * pictures.
 *
 * @param {string[]} urls the page of each session
 * @returns {Promise<Adapter>}
 */
export async function ours(urls) {
  const api = await load('bench-messages-api', `export * from './tests/support/messages-api';`);
  const server = await messagesServer(api);
  const ids = urls.map((url, i) => [`session-${String(i).padStart(3, '0')}`, url]);
  const suite = claudeSuite(Object.fromEntries(ids), server.url);
  const child = suite.playwright(['test']);
  const { call, byRef, at, reply, done } = api;
  const callFor = ({ scripted }, { kind, url, button, field, text, box }) => {
    const ref = name => byRef(scripted.ref(`"${name}"`));
    const middle = () => at(middleOf(box).x, middleOf(box).y);
    const calls = {
      click: () => call('left_click', { target: ref(button) }),
      click_at: () => call('left_click', { target: middle() }),
      form_input: () => call('form_input', { target: ref(field), value: text }),
      type: () => call('type', { text }),
      key: () => call('key', { text: 'Tab' }),
      hover: () => call('hover', { target: ref(button) }),
      scroll: () => call('scroll', { target: middle(), scroll_direction: 'down', scroll_amount: 3 }),
      screenshot: () => call('screenshot'),
      read_page: () => call('read_page'),
      read_interactive: () => call('read_page', { filter: 'interactive' }),
      page_text: () => call('get_page_text'),
      navigate: () => call('navigate', { url }),
    };
    return calls[kind]?.();
  };
  return {
    name: 'taskproof',
    server,
    // The page is the spec's entryUrl, and the first request shows it; each trial is a session.
    open: () => server.next(),
    answerTo: (request, action) => reply(callFor(request, action)),
    leave: async request => request.answer(done()),
    shown: body => {
      const text = api.textsOf(body.messages.at(-1).content).join('\n');
      return /<page>\n(.*)\n<\/page>/s.exec(text)?.[1] ?? text;
    },
    problem: body => {
      const failed = body.messages.at(-1).content.find(block => block.is_error);
      return failed ? JSON.stringify(failed.content) : null;
    },
    output: child.output,
    stop: async () => {
      await child.stop();
      server.stop();
      suite.remove();
    },
  };
}
