// Turns what a command line says, and the tools that it calls, into the protocol's turns.
import { stripVTControlCharacters } from 'node:util';

/** @typedef {import('./preset').Call} Call */
/** @typedef {import('./preset').Usage} Usage */
/** @typedef {import('./preset').End} End */

/** Milliseconds to wait for the line about a call, once the call itself has arrived. */
const CALL_MS = 2_000;
const TITLE_LENGTH = 100;
/** Stands for the id of a call of `playwright-cli`, which has none. */
const BY_CLI = '';

export class Session {
  /** @type {string[]} */
  #said = [];
  /** Calls of this turn that have no result yet, by id. @type {Map<string, { call: Call, title: string }>} */
  #open = new Map();
  /** Ids of calls that arrived before the line about them. @type {Set<string>} */
  #early = new Set();
  #inTurn = false;
  /** Called when the line about a call arrives, by id. @type {Map<string, () => void>} */
  #waiting = new Map();
  /** Lines about calls of `playwright-cli` that have not begun. */
  #announced = 0;
  /** @type {Required<Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens'>>} */
  #counted = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
  /** @type {string | undefined} */
  #gaveUp;
  /** What it said last, after its calls. @type {string | undefined} */
  #answer;
  /** Whether the agent got any tools. Without tools, it can't have tried the task. */
  hasTools = false;
  #hasCalled = false;
  /** The newest text of the page, which has the names of elements. */
  snapshot = '';
  /** Why the model is not available at the moment, while the command line retries. @type {string | undefined} */
  trouble;
  /** Time of the last output, in milliseconds since the epoch. */
  lastHeard = Date.now();

  /**
   * @param {(line: object) => void} write
   * @param {(end: End) => void} end
   * @param {boolean} tellsCalls
   * @param {boolean} byCli whether it works by `playwright-cli`, each call of which is a turn
   */
  constructor(write, end, tellsCalls, byCli = false) {
    this.write = write;
    this.finish = end;
    this.tellsCalls = tellsCalls;
    this.byCli = byCli;
  }

  get isCalling() {
    return this.#open.size > 0;
  }

  /** Keeps what the agent said or thought for the next turn. @param {string} text */
  narrate(text) {
    if (!text.trim()) return;
    this.#said.push(text);
    this.#answer = text;
  }

  /**
   * Writes a turn for an answer of the model.
   *
   * @param {readonly Call[]} calls empty if the agent ends with this answer
   * @param {Usage} [usage] of the request
   */
  round(calls, usage) {
    this.trouble = undefined;
    if (calls.length > 0) this.#answer = undefined;
    const told = calls
      .filter(({ id }) => !this.#early.delete(id))
      .map(call => ({ call, title: this.titleOf(call) }));
    if (told.length < calls.length && (told.length === 0 || this.#inTurn)) return this.#late(told, usage);
    this.endTurn();
    this.write({ type: 'waiting_end' });
    if (usage) this.spend(usage);
    const text = this.#said.join('\n');
    const finish = text ? `finish: ${short(text)}` : 'finish';
    this.write({ type: 'turn', title: told.map(({ title }) => title).join('; ') || finish });
    if (text) this.write({ type: 'narration', text });
    this.#said = [];
    this.#inTurn = true;
    this.#expect(told);
    if (calls.length === 0) this.endTurn();
  }

  /**
   * For an answer whose turn has already begun with its first call. Adds its text if the turn is still open.
   *
   * @param {{ call: Call, title: string }[]} told its other calls
   * @param {Usage} [usage]
   */
  #late(told, usage) {
    if (usage) this.spend(usage);
    if (!this.#inTurn) return;
    const text = this.#said.join('\n');
    if (text) this.write({ type: 'narration', text });
    this.#said = [];
    this.#expect(told);
  }

  /** @param {{ call: Call, title: string }[]} told */
  #expect(told) {
    for (const each of told) {
      this.#open.set(each.call.id, each);
      this.#waiting.get(each.call.id)?.();
    }
  }

  endTurn() {
    if (this.#inTurn) {
      this.write({ type: 'turn_end' });
      this.waitForModel();
    }
    this.#inTurn = false;
    this.#open.clear();
  }

  /** Between its calls, a command line waits for its model. */
  waitForModel() {
    this.write({ type: 'waiting' });
  }

  /** Await it before a tool does anything, so that this happens in its turn. @param {Call} call */
  async begin(call) {
    this.hasTools = true;
    this.#hasCalled = true;
    if (this.tellsCalls && !this.#open.has(call.id)) await this.#told(call.id);
    if (this.#open.has(call.id)) return;
    this.round([call]);
    if (this.tellsCalls) this.#early.add(call.id);
  }

  /** The line about a call of `playwright-cli` arrived: what was said before it belongs to this call. */
  announce() {
    this.#announced++;
    this.#waiting.get(BY_CLI)?.();
  }

  /** Await it before such a call of a command line that prints a line about each. */
  async announced() {
    if (this.#announced === 0) await this.#told(BY_CLI);
    this.#announced = Math.max(0, this.#announced - 1);
  }

  /** @param {string} id */
  async #told(id) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    await new Promise(resolve => {
      this.#waiting.set(id, () => resolve(undefined));
      timer = setTimeout(resolve, CALL_MS);
    });
    clearTimeout(timer);
    this.#waiting.delete(id);
  }

  /**
   * Reports the result of a call.
   *
   * @param {string} id
   * @param {string} [error] what went wrong
   * @param {object} [detail] anything else worth keeping
   */
  end(id, error, detail = {}) {
    const told = this.#open.get(id);
    if (!told) return;
    this.#open.delete(id);
    const { call, title } = told;
    const problem = error && short(stripVTControlCharacters(error), 500);
    this.write({
      type: 'action',
      title,
      ...(problem && { error: problem }),
      detail: { tool: toolOf(call), input: call.input, ...detail },
    });
    if (this.#open.size === 0) this.endTurn();
  }

  /** @param {Usage} usage of one request */
  spend(usage) {
    for (const key of /** @type {(keyof typeof this.counted)[]} */ (Object.keys(this.#counted)))
      this.#counted[key] += usage[key] ?? 0;
    this.write({ type: 'usage', ...usage });
  }

  /** Tokens that are reported so far. */
  get counted() {
    return this.#counted;
  }

  /**
   * Reports the total usage of the trial, which is known at its end: the part that is not reported yet.
   *
   * @param {Usage} total
   */
  settle({ totalCostUsd, ...tokens }) {
    const rest = Object.fromEntries(
      Object.entries(this.#counted).map(([key, told]) => [
        key,
        Math.max(0, (tokens[/** @type {keyof typeof this.counted} */ (key)] ?? 0) - told),
      ]),
    );
    this.spend({ ...rest, ...(totalCostUsd !== undefined && { totalCostUsd }) });
  }

  /** @param {string} reason */
  giveUp(reason) {
    this.#gaveUp = reason;
  }

  /** The command line ended by itself. */
  complete() {
    this.endTurn();
    if (!this.hasTools) return this.fail('the agent ended without asking for its tools, so it never acted');
    this.finish(
      this.#gaveUp
        ? { status: 'gave_up', reason: this.#gaveUp }
        : {
            ...(this.#answer && { answer: this.#answer }),
            ...(!this.#hasCalled && {
              neverActed: `the agent never acted: it called no tool of the page. It said: ${short(this.#answer ?? '') || '(nothing)'}`,
            }),
          },
    );
  }

  /** It reached the limit of turns or dollars: one turn more ends the trial at that limit. */
  exceed() {
    this.endTurn();
    this.write({ type: 'turn', title: 'go on' });
    this.finish({ status: 'error', reason: 'it stopped at a limit that the trial does not have' });
  }

  /** The model is not available. @param {string} reason */
  noModel(reason) {
    this.finish({ status: 'error', errorKind: 'agent_api', reason });
  }

  /** This program, or the command line, is at fault. @param {string} reason */
  fail(reason) {
    this.finish({ status: 'error', reason });
  }

  /** A call in words. @param {Call} call */
  titleOf(call) {
    const input = objectOf(call.input);
    const tool = toolOf(call);
    const at = this.#element(input);
    /** @param {unknown} value */
    const quoted = value => JSON.stringify(short(textOf(value)));
    switch (tool) {
      case 'browser_navigate':
        return `go to ${short(textOf(input.url))}`;
      case 'browser_navigate_back':
        return 'go back';
      case 'browser_snapshot':
      case 'browser_find':
        return 'read the page';
      case 'browser_take_screenshot':
        return 'take a screenshot';
      case 'browser_click':
        return `${input.doubleClick ? 'double-click' : 'click'} ${at}`;
      case 'browser_hover':
        return `point at ${at}`;
      case 'browser_type':
        return `type ${quoted(input.text)} into ${at}${input.submit ? ', press Enter' : ''}`;
      case 'browser_press_key':
        return `press ${short(textOf(input.key))}`;
      case 'browser_select_option':
        return `select ${listOf(input.values).map(quoted).join(', ')} in ${at}`;
      case 'browser_fill_form': {
        const fields = listOf(input.fields).map(objectOf);
        return `fill ${fields.map(field => `${this.#element(field)}: ${quoted(field.value)}`).join(', ')}`;
      }
      case 'browser_wait_for':
        return `wait for ${input.time ? `${textOf(input.time)} s` : quoted(input.text ?? input.textGone)}`;
      case 'browser_tabs':
        return short(`${textOf(input.action)} tab ${textOf(input.index ?? '')}`);
      case 'browser_handle_dialog':
        return `${input.accept ? 'accept' : 'dismiss'} the dialog`;
      case 'browser_evaluate':
        return 'run a script';
      default:
        return short(`${tool.replace(/^browser_/, '').replaceAll('_', ' ')} ${JSON.stringify(input)}`);
    }
  }

  /**
   * The page's name for an element, else the model's.
   *
   * @param {Record<string, any>} input
   */
  #element({ target, ref = target, element, name }) {
    const line = this.snapshot.split('\n').find(line => line.includes(`[ref=${textOf(ref)}]`));
    const told = line && /^\s*- (\w+(?: "(?:[^"\\]|\\.)*")?)/.exec(line)?.[1];
    return short(told ?? textOf(element ?? name ?? ref ?? 'the page'));
  }
}

/**
 * The id of a call whose own id is not known to both sides.
 *
 * @param {string} name
 * @param {Record<string, any>} input
 */
export function callKey(name, input) {
  /** @param {string} _ @param {any} value */
  const sorted = (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return `${name} ${JSON.stringify(input, sorted)}`;
}

/** The tool's name without that of the MCP server, which Claude Code puts in front. @param {Call} call */
function toolOf({ name }) {
  return textOf(name).replace(/^mcp__\w+?__/, '');
}

/** A text for a value of the model, which may have any type. @param {unknown} value @returns {string} */
function textOf(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** @param {unknown} value @returns {Record<string, any>} */
export function objectOf(value) {
  return typeof value === 'object' && value !== null ? value : {};
}

/** @param {unknown} value @returns {unknown[]} */
function listOf(value) {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** @param {string} text @param {number} [length] */
export function short(text, length = TITLE_LENGTH) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
