// What the user said on Playwright's command line, as far as the verdict depends on it.
// Checked on Playwright 1.65: the resolved config does not tell `--repeat-each=5` from `repeatEach: 5`, workers don't see
// the command line, and UI mode, the test server and editors force one repeat.
const ENV = 'TASKPROOF_REPEAT_EACH';

/** The N of `--repeat-each=N`; undefined where the user did not say it. Workers inherit it from the main process. */
export function repeatEachOverride(argv: readonly string[] = process.argv): number | undefined {
  if (process.env.TEST_WORKER_INDEX === undefined) {
    const said = flagValue(argv, '--repeat-each');
    if (said === undefined) delete process.env[ENV];
    else process.env[ENV] = said;
  }
  const repeats = Number(process.env[ENV]);
  return Number.isInteger(repeats) && repeats > 0 ? repeats : undefined;
}

/** `--list`: nothing runs, so nothing is checked that only a run needs, and nothing is judged. */
export function isListing(argv: readonly string[] = process.argv): boolean {
  return argv.includes('--list');
}

/** UI mode, the test server and editors run one repeat of what the user picked: that is never a verdict. */
export function isInteractive(argv: readonly string[] = process.argv): boolean {
  return argv.some(arg => ['--ui', 'test-server', '--debug'].includes(arg) || /^--(ui|debug)[=-]/.test(arg));
}

function flagValue(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findLastIndex(arg => arg === flag || arg.startsWith(`${flag}=`));
  if (index < 0) return undefined;
  const arg = argv[index]!;
  return arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : argv[index + 1];
}
