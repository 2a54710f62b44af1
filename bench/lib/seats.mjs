// Who takes part in the bench of turns: this library, and the bare Playwright calls that it is measured against.
import { load } from '../../scripts/judge/bundle.mjs';
import { jsonDoor, messagesDoor } from './door.mjs';
import { launch } from './launch.mjs';
import { LAUNCH, makeSuite } from './suite.mjs';

/** @typedef {import('./door.mjs').Asked} Asked */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ kind: string, url: string, button: string, field: string, text: string, box: Box, fieldBox: Box, nth: number }} Step */

/**
 * @typedef {object} Seat
 * @property {string} name
 * @property {string} [note]
 * @property {boolean} [blind] its turns end without a look at the page
 * @property {import('./door.mjs').Door} door
 * @property {(url: string) => Promise<Asked>} open a page in a fresh session; resolves to the request that waits for the first action
 * @property {(asked: Asked, step: Step) => unknown} answerTo undefined where it has no such action
 * @property {(asked: Asked) => Promise<unknown>} leave ends the session
 * @property {(body: any) => string} [shown] the words of a request that describe the page
 * @property {() => string} output what its process printed last
 * @property {(body: any) => string | null} [problem] what went wrong in the action before, by the request after it
 * @property {() => Promise<unknown>} stop
 */

/**
 * The bare call and one picture. It also tells where things are, for those who act by coordinates.
 *
 * @param {{ button: string, field: string }} places
 * @returns {Promise<Seat>}
 */
export async function bareSeat(places) {
  const door = await jsonDoor();
  const child = launch('bare', { BENCH_DOOR: door.url });
  return {
    name: 'bare Playwright call and one page.screenshot',
    door,
    open: async url => {
      const { body, answer } = await door.next();
      if (body.observation?.error) throw new Error(body.observation.error);
      answer({ do: 'open', url, button: places.button, field: places.field });
      return door.next();
    },
    answerTo: (_, step) => bareAnswer(step),
    leave: async asked => asked.answer({ do: 'leave' }),
    problem: body => body.observation?.error ?? null,
    output: child.output,
    stop: async () => {
      await child.stop();
      door.stop();
    },
  };
}

/** @param {Step} step */
export function bareAnswer({ kind, url, button, field, text, box, nth }) {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  /** @type {Record<string, object>} */
  const answers = {
    click: { do: 'click', name: button },
    click_at: { do: 'click_at', ...middle },
    form_input: { do: 'form_input', name: field, text },
    type: { do: 'type', text },
    key: { do: 'key', key: 'Tab' },
    hover: { do: 'hover', name: button },
    scroll: { do: 'scroll', ...middle, pixels: nth % 2 ? -300 : 300 },
    screenshot: { do: 'screenshot' },
    read_page: { do: 'read_page' },
    page_text: { do: 'page_text' },
    navigate: { do: 'navigate', url },
  };
  return answers[kind];
}

/**
 * claude() as users have it: trials in a real Playwright run, one for each session, with the guard, the network log, the
 * record and the pictures.
 *
 * @param {string | string[]} site the page of all sessions, or of each
 * @param {number} sessions
 * @param {{ nodeArgs?: string[], sees?: boolean }} [options] `sees`: each action is followed by read_page in the same turn
 * @returns {Promise<Seat>}
 */
export async function ourSeat(site, sessions, { nodeArgs = [], sees = false } = {}) {
  const api = await load(
    'bench-messages-api',
    `export * from './tests/support/messages-api'; export { imageInfo, imageTokens } from './tests/support/messages-api/tokens';`,
  );
  const door = await messagesDoor(api);
  const specs = Object.fromEntries(
    Array.from({ length: sessions }, (_, i) => [
      `tasks/session-${String(i).padStart(3, '0')}.yaml`,
      `specVersion: '0.1'\nid: session-${i}\ngoal: Play.\nentryUrl: ${typeof site === 'string' ? site : site[i]}\nmaxSteps: 100\npassPolicy: { k: 1, minPasses: 1 }\nassertions:\n  - { type: dom, selector: body, state: attached }\n`,
    ]),
  );
  const suite = makeSuite({
    ...specs,
    'playwright.config.mjs': `import { claude, repeats } from '@taskproof/playwright';
export default { workers: 1, testMatch: 'tasks.spec.mjs', reporter: [['line'], ['@taskproof/playwright/reporter']],
  projects: [{ name: 'bench', ...repeats('tasks/*.yaml'), use: { launchOptions: ${LAUNCH}, taskproof: { turnTimeoutMs: 600_000,
    agent: claude({ baseURL: '${door.url}', apiKey: 'test-key', maxRetries: 0 }) } } }] };`,
    'tasks.spec.mjs': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
  });
  const child = suite.playwright(['test'], {}, nodeArgs);
  const { call, byRef, at, reply, done } = api;
  /** @param {Asked} asked @param {Step} step */
  const actionFor = ({ scripted }, { kind, url, button, field, text, box, nth }) => {
    const middle = at(box.x + box.width / 2, box.y + box.height / 2);
    const ref = (/** @type {string} */ name) => byRef(scripted.ref(`"${name}"`));
    /** @type {Record<string, () => unknown>} */
    const calls = {
      click: () => call('left_click', { target: ref(button) }),
      click_at: () => call('left_click', { target: middle }),
      form_input: () => call('form_input', { target: ref(field), value: text }),
      type: () => call('type', { text }),
      key: () => call('key', { text: 'Tab' }),
      hover: () => call('hover', { target: ref(button) }),
      scroll: () =>
        call('scroll', { target: middle, scroll_direction: nth % 2 ? 'up' : 'down', scroll_amount: 3 }),
      screenshot: () => call('screenshot'),
      read_page: () => call('read_page'),
      read_interactive: () => call('read_page', { filter: 'interactive' }),
      page_text: () => call('get_page_text'),
      find: () => call('find', { query: button }),
      navigate: () => call('navigate', { url }),
    };
    return calls[kind]?.();
  };
  return {
    name: sees ? 'taskproof, with the page read after the action' : 'taskproof',
    door,
    // The page is the spec's entryUrl; each trial is a session.
    open: async () => {
      (await door.next()).answer(reply(call('read_page', { filter: 'all' })));
      return door.next();
    },
    answerTo: (asked, step) => {
      const action = actionFor(asked, step);
      if (!action) return undefined;
      return sees && step.kind !== 'read_page' ? reply(action, call('read_page')) : reply(action);
    },
    leave: async asked => asked.answer(done()),
    shown: body => api.textsOf(body.messages.at(-1).content).join('\n'),
    problem: body => {
      const failed = body.messages.at(-1).content.find((/** @type {any} */ block) => block.is_error);
      return failed ? JSON.stringify(failed.content) : null;
    },
    output: child.output,
    stop: async () => {
      await child.stop();
      door.stop();
      suite.remove();
    },
  };
}
