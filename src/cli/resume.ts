import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { REGRADE, RESUME } from '../playwright/run/settings';
import { isKeptBy, STORE_FOLDER, type StoredRun, storedRun, storedRuns } from '../report/kept/stored-run';
import { argument, CommandError, configArgument, configFolder, type Io, play } from './io';
import type { AddCommand } from './program';

export const addResume: AddCommand = (program, io, exit) => {
  program
    .command('resume')
    .description('Continue an interrupted run: run only the trials that it has not graded.')
    .usage('[options] [-- arguments for playwright test]')
    .helpEnd(`
Starts \`playwright test\` with the arguments of the last run and those after \`--\`. A trial that passed
or failed there does not run again: its test ends as it did, with the same record and screenshots.
The verdicts, the reports and the results file are those of the whole run. The last run is kept
beside the config, in ${STORE_FOLDER}.

Exit code:
  0, 1  that of \`playwright test\`
  2     there is nothing to resume, or a spec, a test file, the agent, its model, the policy or the site
        (origin, baseURL) has changed

Examples:
  taskproof resume
  taskproof resume -- --workers=4
  taskproof resume -- --shard=1/2
  taskproof resume -- --config=agents/playwright.config.ts`)
    .action(async () => exit(await goOn(io, 'resume')));
};

export const addRegrade: AddCommand = (program, io, exit) => {
  program
    .command('regrade')
    .description(
      'Grade the trials of the last run again, after an edit of a policy, an assertion or a rubric.',
    )
    .usage('[options] [-- arguments for playwright test]')
    .helpEnd(`
Runs no agent and opens no browser: it grades url, network and answer assertions, policies and rubrics
by the records in ${STORE_FOLDER}, which stay as they are. Unchanged assertions keep their results. The
judge is asked again only if its rubric or the judge itself has changed.

Exit code:
  0, 1  that of \`playwright test\`, which prints the verdicts and writes the reports. If an ordinary test,
        a hook or a set-up failed in the run, it is 1
  2     no run is kept, or what the trials ran has changed: a goal, the agent, its model,
        the site (origin, baseURL)
  3     can't tell: a new assertion needs what is not kept (the page, an answer), a policy needs trials
        that were not graded, or a hook or a fixture failed, too, so new trials are needed

Examples:
  taskproof regrade
  taskproof regrade -- --config=agents/playwright.config.ts`)
    .action(async () => exit(await goOn(io, 'regrade')));
};

type Going = 'resume' | 'regrade';

async function goOn(io: Io, command: Going): Promise<number> {
  const reporters = argument(io, /^--reporter$/);
  if (reporters !== undefined && !isKeptBy(reporters))
    throw new CommandError(
      `--reporter=${reporters} leaves out the reporter of the config, which has the trials of the earlier run. Add yours to it: npx taskproof ${command} -- --add-reporter=${reporters}`,
    );
  const { folder, run } = lastRun(io, command);
  const regrading = command === 'regrade';
  if (!regrading && run.ungraded === 0)
    throw new CommandError(
      `There is nothing to resume: all trials of the run of ${run.startedAt} are graded.`,
    );
  // To Playwright, -x counts more than --max-failures, wherever they stand.
  const stored = argument(io, /^--max-failures$/) ? run.args.filter(arg => arg !== '-x') : run.args;
  const args = [...stored, ...(io.playwrightArgs ?? [])];
  const env = { [RESUME]: folder, TASKPROOF_RUN_ID: run.runId, ...(regrading && { [REGRADE]: '1' }) };
  const started = run.cwd === undefined ? io.cwd : resolve(configFolder(io), run.cwd);
  const isThere = existsSync(started) && configArgument(io) === undefined;
  const code = await play(isThere ? { ...io, cwd: started } : io, args, env);
  const lastAt = (kept?: StoredRun) => (regrading ? kept?.regraded?.at : kept?.resumedAt);
  const now = storedRun(folder);
  if (!now || lastAt(now) === lastAt(run))
    throw new CommandError(`The run of ${run.startedAt} was not ${command}d; see Playwright's output above.`);
  const unknown = (regrading && now.regraded?.unknown) || [];
  if (!unknown.length) return typeof code === 'number' ? code : 1;
  io.err(['New trials are needed:', ...unknown.map(each => `  ${each}`)].join('\n'));
  return 3;
}

/** @throws CommandError if no run is kept: of this config and shard, if the arguments name them */
function lastRun(io: Io, command: Going): { folder: string; run: StoredRun } {
  const shard = argument(io, /^--shard$/);
  const config = configArgument(io);
  const place = configFolder(io);
  const runs = storedRuns(place).map(folder => ({ folder, run: storedRun(folder)! }));
  const found = runs.findLast(({ run }) => (shard === undefined || run.shard === shard) && isOf(run, config));
  if (found) return found;
  const ofShard = shard === undefined ? '' : ` of shard ${shard}`;
  const withConfig = config && runs.length ? ` with ${relative(io.cwd, config)}` : '';
  throw new CommandError(
    `There is nothing to ${command}: no run${ofShard}${withConfig} is kept in ${join(place, STORE_FOLDER)}. If your config is elsewhere, name it: npx taskproof ${command} -- --config=<file>`,
  );
}

/** Several configs can share a folder. A run belongs to the one that played it. */
function isOf({ configFile: own = '' }: StoredRun, config: string | undefined): boolean {
  if (config === undefined || !own || own === config) return true;
  return dirname(own) === config && /^playwright\b/.test(basename(own));
}
