// Runs all tests N times while every core is kept busy: `npm run test:repeat -- 5`. Tests that pass on such a machine pass
// on any. Arguments after the number go to vitest.
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const [times = '5', ...args] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(times))
  throw new Error(`"${times}" is not a number of runs. Try: npm run test:repeat -- 5`);

const busy = Array.from({ length: availableParallelism() }, () =>
  // Until this process is gone, even if it is killed.
  spawn(process.execPath, ['-e', 'const us = process.ppid; while (process.ppid === us);'], {
    stdio: 'ignore',
  }),
);
process.on('exit', () => {
  for (const child of busy) child.kill('SIGKILL');
});
process.on('SIGINT', () => process.exit(130));

let failures = 0;
for (let run = 1; run <= Number(times); run++) {
  console.log(`\nRun ${run} of ${times}`);
  const { status } = spawnSync('npm', ['test', '--', ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) failures++;
}
console.log(`\n${failures ? `${failures} of ${times} runs failed` : `all ${times} runs passed`}`);
// The busy processes would keep this one alive.
process.exit(failures ? 1 : 0);
