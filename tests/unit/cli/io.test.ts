import child, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Io, play } from '../../../src/cli/io';

test.each<[NodeJS.Platform, string[]]>([
  ['linux', ['SIGINT']],
  // There, to kill is to end at once, and a console tells the run by itself.
  ['win32', []],
])('on %s, Ctrl-C lets the run of Playwright end by itself: it gets %j', async (platform, sent) => {
  const run = Object.assign(new EventEmitter(), { kill: vi.fn() });
  const spies = [
    vi.spyOn(child, 'spawn').mockReturnValue(run as unknown as ChildProcess),
    vi.spyOn(process, 'platform', 'get').mockReturnValue(platform),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  const others = process.listeners('SIGINT');
  const ended = play({ cwd: process.cwd() } as Io, [], {});
  const [pressed] = process.listeners('SIGINT').filter(each => !others.includes(each));
  pressed!('SIGINT');
  expect(run.kill.mock.calls.flat()).toEqual(sent);
  run.emit('close', 130, null);
  expect(await ended).toBe(130);
  expect(process.listeners('SIGINT')).toEqual(others);
});
