import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { checkProgram, command, programPath } from '../../../../src/agents/command';
import { lastWords } from '../../../../src/agents/command/program';
import { tempFolder } from '../../../support/temp-folder';

describe('command()', () => {
  test.each<[string, Parameters<typeof command>[0], string]>([
    ['the script', { command: 'python3', args: ['-u', 'agents/my-agent.py', 'x.py'] }, 'my-agent'],
    ['the program', { command: './bin/player.exe', args: ['--fast'] }, 'player'],
    ['what it is told', { command: 'node', args: ['a.mjs'], name: 'mine' }, 'mine'],
  ])('is named after %s', (_, options, name) => expect(command(options).name).toBe(name));

  test('has a model where one is given', () => {
    expect(command({ command: 'x', model: 'm-1' }).model).toBe('m-1');
    expect(command({ command: 'x' })).not.toHaveProperty('model');
  });

  test.each<[unknown, RegExp]>([
    [undefined, /^command\(\): command: is required$/],
    [{ command: '' }, /command: must not be empty/],
    [{ command: 'x', args: 'y' }, /args: must be an array$/],
    [{ command: 'x', env: { A: 1 } }, /env\.A: must be a string$/],
    [
      { command: 'x', arg: [], shell: true },
      /arg: unknown option. Known options: command, args, env, cwd, name, model. Did you mean args?[\s\S]*shell: unknown/,
    ],
    [{ command: 'x', cwd: 1, name: '' }, /cwd: .*\n.*name: /],
  ])('%j is refused', (options, message) => {
    expect(() => command(options as Parameters<typeof command>[0])).toThrow(message);
  });

  test('a program that the PATH does not have is said before any browser starts', () => {
    const missing = command({ command: 'no-such-program' });
    expect(() => missing.preflight!()).toThrow(
      /^command\(\): there is no program no-such-program on the PATH\. Install it, or/,
    );
    expect(() => command({ command: 'node', env: { PATH: '/nowhere' } }).preflight!()).toThrow(
      /no program node on the PATH/,
    );
    expect(() => command({ command: '/nowhere/agent' }).preflight!()).toThrow(
      /no program \/nowhere\/agent\. Install/,
    );
    for (const found of ['node', process.execPath])
      expect(command({ command: found }).preflight!()).toBeUndefined();
  });

  test('on Windows, what npm installs is no program', () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
    const PATH = tempFolder();
    const check = () => command({ command: 'tool', env: { PATH } }).preflight!();
    // A script for sh, and one for cmd.exe.
    for (const name of ['tool', 'tool.cmd']) writeFileSync(join(PATH, name), '', { mode: 0o755 });
    expect(check).toThrow('A .cmd file is no program: start node with its script');
    writeFileSync(join(PATH, 'tool.exe'), '', { mode: 0o755 });
    expect(check).not.toThrow();
  });

  test('a relative path is left to the trial, which knows the folder', () => {
    expect(checkProgram('./nowhere', {})).toBeUndefined();
    expect(programPath('./bin/agent', '/suite')).toBe(resolve('/suite/bin/agent'));
    expect(programPath('bin/agent', '/suite')).toBe(resolve('/suite/bin/agent'));
    expect(programPath('agent', '/suite')).toBe('agent');
    expect(programPath(join('/opt', 'agent'), '/suite')).toBe(resolve('/opt/agent'));
  });
});

test.each([
  ['one\ntwo\nthree\nfour\n', 'two | three | four'],
  ['\u001b[31mred\u001b[39m\r\n', 'red'],
  ['', ''],
  ['\n \n', ''],
  [
    `/a/agent.mjs:3\n    throw new Error('no plan');\n          ^\n\nError: no plan\n    at run (/a/agent.mjs:3:11)\n    at main (/a:1:1)\n\nNode.js v22.18.0\n`,
    `/a/agent.mjs:3 |     throw new Error('no plan'); | Error: no plan`,
  ],
  [
    'Traceback (most recent call last):\n  File "agent.py", line 3, in <module>\n    raise ValueError("no plan")\nValueError: no plan\n',
    'File "agent.py", line 3, in <module> |     raise ValueError("no plan") | ValueError: no plan',
  ],
  [
    "node:internal/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/a.mjs'\n    at x (y:1) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
    "node:internal/loader:1 |   throw err; | Error: Cannot find module '/a.mjs'",
  ],
])('the last words of %j', (text, words) => expect(lastWords(text)).toBe(words));
