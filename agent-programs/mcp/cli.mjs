// The `playwright-cli` of the agent, in its shell or as a tool: Playwright's own, attached to the trial's page. This program sits in
// between, sees each command before it is run, leaves out those that reach beyond the page, and fills secrets into texts, so that the
// model never reads them.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { answerTo } from './cli-tool.mjs';
import { cliFiles, endProcess, linesOf, messageIn, SetupError } from './programs.mjs';

/** @type {typeof import('../../src/text/mask')} */
const { fillSecrets, secretMask } = createRequire(import.meta.url)('../../dist/text/mask.js');

/** @typedef {import('./session.mjs').Session} Session */

/** The commands that are offered, with the tool of Playwright's MCP server that does the same, and the names of their arguments. */
const COMMANDS = {
  ...{ click: 'click target', dblclick: 'click target', fill: 'type target text', goto: 'navigate url' },
  ...{ hover: 'hover target', select: 'select_option target values', snapshot: 'snapshot', find: 'snapshot' },
  ...{ press: 'press_key key', screenshot: 'take_screenshot', 'go-back': 'navigate_back', eval: 'evaluate' },
  ...{ check: 'check target', uncheck: 'uncheck target', type: 'type text', drag: 'drag from to' },
  ...{ 'dialog-accept': 'accept_dialog', 'dialog-dismiss': 'dismiss_dialog' },
  ...{ 'go-forward': 'go_forward', reload: 'reload', keydown: 'keydown key', keyup: 'keyup key' },
  ...{ mousemove: 'mousemove x y', mousedown: 'mousedown', mouseup: 'mouseup', mousewheel: 'mousewheel x y' },
  ...{ 'tab-list': 'tab_list', 'tab-new': 'tab_new url', 'tab-close': 'tab_close index' },
  ...{ 'tab-select': 'tab_select index', console: 'console', requests: 'requests', request: 'request index' },
};
/** Others write files, or choose another browser. */
const OPTION = /^--(?:submit|regex|depth=\d+|boxes|raw|modifiers=\w+|hires|full-page|help)$/;
const MAX_TEXT = 30_000;
const SNAPSHOT_LINK = /^- \[Snapshot\]\((.+\.yml)\)$/m;

/** Arguments come by standard input: those of a process can be read by others on the machine. */
const RUN = `process.argv.push('cli', ...JSON.parse(require('node:fs').readFileSync(0, 'utf8'))); require(process.argv[1]);`;

export class Cli {
  /** @type {import('node:child_process').ChildProcess[]} */
  #children = [];
  #isClosed = false;
  /** Commands run one after another. @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {object} options
   * @param {NodeJS.ProcessEnv} options.env of Playwright's programs
   * @param {string} options.folder where they write; the agent does not look into it
   * @param {string} options.socket path of a socket or a pipe for the agent's calls
   * @param {Record<string, string>} options.secrets
   * @param {Session} options.session
   */
  constructor({ env, folder, socket, secrets, session }) {
    this.socket = socket;
    // Trials at the same time keep their connections apart.
    const own = { PWTEST_DAEMON_SESSION_DIR: folder, PWTEST_SOCKETS_DIR: dirname(socket) };
    this.env = { ...env, ...own, XDG_CACHE_HOME: folder, LOCALAPPDATA: folder };
    this.folder = folder;
    this.secrets = secrets;
    this.masked = secretMask(secrets);
    this.session = session;
    this.files = cliFiles();
  }

  /** Puts `playwright-cli` into `bin`, attaches it to the page, and serves its calls. @param {string} bin */
  async listen(bin) {
    const call = [process.execPath, join(dirname(fileURLToPath(import.meta.url)), 'call.mjs'), this.socket];
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'playwright-cli'),
      `#!/bin/sh\nexec ${call.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ')} "$@"\n`,
      { mode: 0o755 },
    );
    await this.#attach();
    this.server = createServer(socket => {
      socket.on('error', () => undefined);
      linesOf(socket).on('line', line => {
        const said = messageIn(line);
        if (Array.isArray(said)) void this.#next(said).then(answer => socket.end(JSON.stringify(answer)));
        else if (said)
          void answerTo(said, args => this.#next(args, this.session.announced())).then(
            answer => answer && socket.write(`${JSON.stringify(answer)}\n`),
          );
      });
    });
    await new Promise((resolve, reject) => {
      this.server?.once('error', reject).listen(this.socket, () => resolve(undefined));
    });
  }

  /** `attach --cdp` would do the same, with the connection's address as an argument. */
  async #attach() {
    const child = this.#start([this.files.daemon, 'default']);
    const errors = text(child.stderr);
    const code = await new Promise(resolve => {
      child.stdout.on('data', said => /listening/.test(String(said)) && resolve(undefined));
      child.once('exit', code => resolve(code ?? 'a signal'));
    });
    if (code !== undefined)
      throw new SetupError(`playwright-cli can't be attached to the page: ${this.masked(await errors)}`);
    child.on('exit', () => {
      if (!this.#isClosed) this.session.fail('playwright-cli lost its connection to the page');
    });
  }

  /** @param {string[]} args */
  #start(args) {
    const child = spawn(process.execPath, args, { cwd: this.folder, env: this.env, windowsHide: true });
    this.#children.push(child);
    return child;
  }

  /** What Playwright tells agents about it. */
  skill() {
    return readFileSync(this.files.skill, 'utf8');
  }

  async close() {
    this.#isClosed = true;
    this.server?.close();
    await Promise.all(this.#children.map(endProcess));
  }

  /** @param {string[]} args as the agent wrote them @param {Promise<void>} [announced] */
  #next(args, announced) {
    const answer = this.#last
      .then(() => announced)
      .then(() => this.#run(args))
      .catch(error => ({ text: `### Error\n${error.message}`, code: 1 }));
    this.#last = answer;
    return answer;
  }

  /** @param {string[]} args */
  async #run([command = '--help', ...args]) {
    const options = args.filter(word => word.startsWith('--'));
    const words = args.filter(word => !word.startsWith('--'));
    const [tool, ...names] = (COMMANDS[/** @type {keyof COMMANDS} */ (command)] ?? command).split(' ');
    const id = `${command} ${args.join(' ')}`;
    const input = Object.fromEntries(names.map((name, at) => [name, words[at]]));
    if (options.includes('--submit')) input.submit = 'true';
    await this.session.begin({ id, name: `browser_${tool}`, input });
    if (command === 'give-up') {
      this.session.giveUp(args.join(' ') || 'it gave no reason');
      this.session.end(id);
      return { text: 'Noted. End now.', code: 0 };
    }
    const { text, code } = await this.#answer(command, words, options).catch(error => ({
      text: `### Error\n${error.message}`,
      code: 1,
    }));
    if (/\[ref=/.test(text)) this.session.snapshot = text;
    const did = /^### Ran Playwright code\n```js\n([\s\S]*?)\n```/m.exec(text)?.[1];
    const problem = code === 0 ? undefined : text.replace(/^### Error\n/, '');
    this.session.end(id, problem, did ? { code: did } : {});
    return { text, code };
  }

  /** @param {string} command @param {string[]} words @param {string[]} options */
  async #answer(command, words, options) {
    const isHelp = command === '--help' || options.includes('--help');
    if (!isHelp && !Object.hasOwn(COMMANDS, command))
      throw new Error(
        `${command} is not to be used here. There are: ${Object.keys(COMMANDS).join(', ')}, give-up`,
      );
    const other = options.find(option => !OPTION.test(option));
    if (other) throw new Error(`The option ${other} is not to be used here.`);
    const filled = words.map(word => fillSecrets(word, this.secrets));
    const [target = ''] = words;
    if (filled.some((word, at) => word !== words[at]) && !(command === 'fill' && /^e\d+$/.test(target)))
      throw new Error(
        'Not typed: secrets are typed by fill, into elements of the page by their reference, such as e12.',
      );
    const ran = await this.#play(isHelp ? [command, '--help'] : [command, ...options, '--', ...filled]);
    return { ...ran, text: cut(this.masked(await this.#withPage(ran.text))) };
  }

  /** @param {string[]} args */
  async #play(args) {
    const child = this.#start(['-e', RUN, this.files.script]);
    child.stdin.on('error', () => undefined).end(JSON.stringify(args));
    const closed = new Promise(resolve => child.once('close', resolve));
    const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { text: (out || errors).trim(), code: Number(code ?? 1) };
  }

  /** The file of the page holds what was typed into it. The agent gets its references only if it asks. @param {string} text */
  async #withPage(text) {
    const link = SNAPSHOT_LINK.exec(text);
    if (!link?.[1]) return text;
    const page = await readFile(join(this.folder, link[1]), 'utf8').catch(() => '');
    this.session.snapshot = this.masked(page);
    return text.replace(link[0], 'The page may have changed: playwright-cli snapshot or find show it.');
  }
}

/** @param {string} text */
function cut(text) {
  return text.length > MAX_TEXT
    ? `${text.slice(0, MAX_TEXT)}\n(cut: playwright-cli find, and snapshot with a target or --depth, tell the rest)`
    : text;
}
