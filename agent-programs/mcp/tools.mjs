// The MCP server that a command line gets: Playwright's own, attached to the trial's page. This program sits in
// between and sees each call before it is performed. It leaves out tools that reach beyond the page, and fills secrets
// into typed texts, so that the model never reads them, in documents of the page's origin alone.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { isAbsolute, join, relative } from 'node:path';
import { endProcess, linesOf, messageIn } from './programs.mjs';
import { callKey, objectOf } from './session.mjs';

/** @type {typeof import('../../src/text/mask')} */
const { fillSecrets, inTexts, secretMask } = createRequire(import.meta.url)('../../dist/text/mask.js');

/** @typedef {import('./session.mjs').Session} Session */
/** @typedef {{ id?: string | number, method?: string, params?: any, result?: any, error?: { message: string } }} Message */

/** Tools that are not offered, and why. */
const LEFT_OUT = new Map([
  ['browser_run_code_unsafe', 'it runs code outside of the page'],
  ['browser_close', 'the page stays open: end your answer when the task is done'],
]);
const GIVE_UP = {
  name: 'give_up',
  description: 'Says that the task can not be done, and why. Then end.',
  inputSchema: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
};
/** Characters of a result's text: Claude Code puts longer ones into a file, which the agent can't read. */
const MAX_TEXT = 60_000;
/** Only as a whole section: a line such as the title may contain text of the page. */
const SNAPSHOT_LINK = /^### Snapshot\n- \[Snapshot\]\(([^)\n]+\.yml)\)$/gm;

export class Tools {
  /** @type {import('node:child_process').ChildProcess[]} */
  #children = [];
  #isClosed = false;

  /**
   * @param {object} options
   * @param {string[]} options.args the server's script and its arguments
   * @param {NodeJS.ProcessEnv} options.env
   * @param {string} options.folder where it runs
   * @param {Record<string, string>} options.secrets
   * @param {Session} options.session
   */
  constructor({ args, env, folder, secrets, session }) {
    this.args = args;
    this.env = env;
    this.folder = folder;
    this.secrets = secrets;
    this.masked = secretMask(secrets);
    this.session = session;
  }

  /** Serves all connections. @param {string} path of a socket or a pipe */
  async listen(path) {
    this.server = createServer(socket => this.#serve(socket));
    await new Promise((resolve, reject) => {
      this.server?.once('error', reject).listen(path, () => resolve(undefined));
    });
  }

  async close() {
    this.#isClosed = true;
    this.server?.close();
    await Promise.all(this.#children.map(endProcess));
  }

  /** @param {import('node:net').Socket} socket */
  #serve(socket) {
    const child = spawn(process.execPath, this.args, {
      cwd: this.folder,
      env: this.env,
      stdio: ['pipe', 'pipe', 'inherit'],
      windowsHide: true,
    });
    this.#children.push(child);
    // One end may be gone while the other still writes.
    for (const stream of [socket, child.stdin]) stream.on('error', () => undefined);
    child.on('error', error =>
      this.session.fail(`Playwright's MCP server can't be started: ${error.message}`),
    );
    child.on('exit', (code, signal) => {
      if (!this.#isClosed && !socket.destroyed)
        this.session.fail(
          `Playwright's MCP server ended with ${signal ?? `code ${code}`} before the agent did`,
        );
      socket.end();
    });
    socket.on('close', () => child.kill());
    /** @param {NodeJS.WritableStream} to @returns {(message: object) => void} */
    const sender = to => message => void to.write(`${JSON.stringify(message)}\n`);
    const connection = new Connection(this, sender(socket), sender(child.stdin));
    /** @param {import('node:stream').Readable} input @param {(message: Message) => Promise<void>} take */
    const follow = (input, take) =>
      linesOf(input).on('line', line => {
        const message = messageIn(line);
        if (message) take(message).catch(error => this.session.fail(`agent.mjs: ${error.message}`));
      });
    follow(socket, message => connection.asked(message));
    follow(child.stdout, message => connection.answered(message));
  }
}

class Connection {
  /** Handlers for the answers to requests, by id. @type {Map<string | number | undefined, (result: any) => any>} */
  #pending = new Map();

  /**
   * @param {Tools} tools
   * @param {(message: object) => void} toAgent
   * @param {(message: object) => void} toServer
   */
  constructor(tools, toAgent, toServer) {
    this.tools = tools;
    this.session = tools.session;
    this.toAgent = toAgent;
    this.toServer = toServer;
  }

  /** @param {Message} message */
  async asked(message) {
    if (message.method === 'tools/list') this.#pending.set(message.id, result => this.#offered(result));
    if (message.method !== 'tools/call') return this.toServer(message);
    const { name, arguments: input = {}, _meta } = objectOf(message.params);
    const id = _meta?.['claudecode/toolUseId'] ?? callKey(name, input);
    await this.session.begin({ id, name, input });
    if (name === GIVE_UP.name) {
      this.session.giveUp(reasonIn(input));
      return this.#answer(message, id, 'Noted. End now.');
    }
    const why = LEFT_OUT.get(name);
    if (why) return this.#answer(message, id, `${name} is not to be used: ${why}.`, true);
    const filled = await this.#withSecrets(input).catch(error =>
      this.#answer(message, id, error.message, true),
    );
    if (filled === undefined) return;
    this.#pending.set(message.id, result => this.#done(id, result));
    this.toServer({ ...message, params: { ...message.params, arguments: filled } });
  }

  /** @param {Message} message of the server */
  async answered(message) {
    const handle = message.method === undefined ? this.#pending.get(message.id) : undefined;
    if (!handle) return this.toAgent(message);
    this.#pending.delete(message.id);
    const result = message.result ?? {
      isError: true,
      content: [{ type: 'text', text: message.error?.message }],
    };
    const answer = await handle(result);
    // Without an answer, it was a question of ours.
    if (answer) this.toAgent({ jsonrpc: '2.0', id: message.id, result: answer });
  }

  /** @param {Message} message @param {string} id @param {string} text @param {boolean} [isError] */
  #answer(message, id, text, isError = false) {
    this.session.end(id, isError ? text : undefined);
    this.toAgent({ jsonrpc: '2.0', id: message.id, result: { isError, content: [{ type: 'text', text }] } });
  }

  /** @param {string} id @param {any} result */
  async #done(id, result) {
    const content = await Promise.all(
      (result.content ?? []).map(async (/** @type {any} */ part) =>
        part.type === 'text'
          ? { ...part, text: cut(this.tools.masked(await this.#withPage(part.text))) }
          : part,
      ),
    );
    const text = content.map(part => part.text ?? '').join('\n');
    if (/\[ref=/.test(text)) this.session.snapshot = text;
    const code = /^### Ran Playwright code\n```js\n([\s\S]*?)\n```/m.exec(text)?.[1];
    const error = /^### Error\n([\s\S]*?)(?=\n### |$(?![\s\S]))/m.exec(text)?.[1];
    this.session.end(id, result.isError ? (error ?? text) : undefined, code ? { code } : {});
    return { ...result, content };
  }

  /** Puts the page into a result: after an action, the server writes it to a file, which the agent can't read. @param {string} text */
  async #withPage(text) {
    const link = [...text.matchAll(SNAPSHOT_LINK)].at(-1);
    if (!link?.[1]) return text;
    const page = await readWithin(this.tools.folder, link[1]).catch(() => undefined);
    if (page === undefined) return text;
    const rest = text.slice(link.index + link[0].length);
    return `${text.slice(0, link.index)}### Snapshot\n\`\`\`yaml\n${page}\n\`\`\`${rest}`;
  }

  /**
   * Fills secrets only into typed text: an address could carry a secret away.
   *
   * @param {unknown} input as the model wrote it
   * @throws Error if a secret is unknown, or would be typed into the document of another host
   */
  async #withSecrets(input) {
    const whole = objectOf(input);
    const { secrets } = this.tools;
    // Says that one is unknown, wherever it stands.
    inTexts(input, text => fillSecrets(text, secrets));
    const { text, target, fields } = whole;
    if (target !== undefined && typeof text === 'string')
      return { ...whole, text: await this.#filled(text, target) };
    if (!Array.isArray(fields)) return input;
    const filled = [];
    for (const field of fields) {
      const isText = typeof field?.value === 'string';
      filled.push(isText ? { ...field, value: await this.#filled(field.value, field.target) } : field);
    }
    return { ...whole, fields: filled };
  }

  /** @param {string} text @param {unknown} target where it is typed */
  async #filled(text, target) {
    const filled = fillSecrets(text, this.tools.secrets);
    if (filled !== text) await this.#refuseForeign(String(target));
    return filled;
  }

  /**
   * The guard keeps the page itself on the allowed hosts. A frame proves that it is of the page's origin: what the page's window
   * keeps, no other origin can read, whatever its scripts replace.
   *
   * @param {string} target
   */
  async #refuseForeign(target) {
    const [, inFrame] =
      /^(f\d+)?e\d+$/.exec(target) ??
      refuse('secrets are typed into elements by their reference, such as e12');
    if (!inFrame) return;
    const proof = randomUUID();
    await this.#evaluate(`() => { window.taskproof = '${proof}' }`);
    const said = await this.#evaluate(
      '() => { try { return top.taskproof } catch { return location.host } }',
      target,
    );
    await this.#evaluate('() => { delete window.taskproof }');
    if (said.includes(proof)) return;
    const host = /^"([\w.:-]{1,200})"$/m.exec(said)?.[1] ?? 'another origin';
    refuse(`it is in a frame of ${host}, and secrets are typed on the page's own origin alone`);
  }

  /** What the server answers. @param {string} code @param {string} [target] */
  async #evaluate(code, target) {
    const id = `taskproof-${randomUUID()}`;
    /** @type {Promise<any>} */
    const answer = new Promise(resolve => this.#pending.set(id, result => void resolve(result)));
    const input = { function: code, ...(target && { target, element: 'the field' }) };
    this.toServer({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'browser_evaluate', arguments: input },
    });
    const { content } = await answer;
    return String(content?.[0]?.text);
  }

  /** @param {{ tools?: { name: string }[] }} result */
  #offered(result) {
    const tools = (result.tools ?? []).filter(({ name }) => !LEFT_OUT.has(name));
    this.session.hasTools ||= tools.length > 0;
    return { ...result, tools: [...tools, GIVE_UP] };
  }
}

/** @param {string} why @returns {never} */
function refuse(why) {
  throw new Error(`Not typed: ${why}.`);
}

/** @param {unknown} input */
function reasonIn(input) {
  const { reason } = objectOf(input);
  return typeof reason === 'string' && reason ? reason : 'it gave no reason';
}

/** Reads a file in a folder; undefined if its path leads out. @param {string} folder @param {string} name */
async function readWithin(folder, name) {
  const file = await realpath(join(folder, name));
  const way = relative(await realpath(folder), file);
  if (way.startsWith('..') || isAbsolute(way)) return undefined;
  return readFile(file, 'utf8');
}

/** @param {string} text */
function cut(text) {
  return text.length > MAX_TEXT
    ? `${text.slice(0, MAX_TEXT)}\n(cut: browser_find, and browser_snapshot with target or depth, tell the rest)`
    : text;
}
