// Runs a GitHub workflow of the documentation: all of its commands, and those actions that move files.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DocsSuite } from './docs-suite';

interface Step {
  uses?: string;
  with?: Record<string, unknown>;
  run?: string;
  if?: string;
  env?: Record<string, string>;
}

interface Job {
  needs?: string;
  strategy?: { matrix: Record<string, unknown[]> };
  steps: Step[];
}

export interface Workflow {
  jobs: Record<string, Job>;
}

interface Runner {
  checkout(): DocsSuite;
  /** Folder for artifacts. */
  artifacts: string;
  /** Values of `${{ }}` expressions. */
  values: Record<string, string>;
}

/** Conditions of steps that hold in a pull request from the repository itself. */
const TRUE = new Set([
  '!cancelled()',
  '!cancelled() && github.event.pull_request.head.repo.full_name == github.repository',
]);

/**
 * @returns the folders of the jobs, in the order in which they ended
 * @throws Error if a command fails, or an action, condition or expression is unknown here
 */
export async function runWorkflow({ jobs }: Workflow, runner: Runner): Promise<DocsSuite[]> {
  const ended: DocsSuite[] = [];
  const names = Object.keys(jobs).sort(
    (a, b) => Number(Boolean(jobs[a]!.needs)) - Number(Boolean(jobs[b]!.needs)),
  );
  for (const name of names) {
    const runs = matrixOf(jobs[name]!);
    // Two at a time, for small machines.
    for (let i = 0; i < runs.length; i += 2)
      ended.push(
        ...(await Promise.all(runs.slice(i, i + 2).map(values => runJob(jobs[name]!, values, runner)))),
      );
  }
  return ended;
}

function matrixOf({ strategy }: Job): Record<string, string>[] {
  const [entry] = Object.entries(strategy?.matrix ?? {});
  return entry ? entry[1].map(value => ({ [`matrix.${entry[0]}`]: String(value) })) : [{}];
}

async function runJob({ steps }: Job, matrix: Record<string, string>, runner: Runner): Promise<DocsSuite> {
  const suite = runner.checkout();
  const fill = (text: string) =>
    text.replace(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
      const value = { ...runner.values, ...matrix }[expression];
      if (value === undefined) throw new Error(`the workflow's \${{ ${expression} }} is not known here`);
      return value;
    });
  for (const step of steps) {
    if (step.if !== undefined && !TRUE.has(step.if.replace(/^\$\{\{ | \}\}$/g, '')))
      throw new Error(`the condition ${step.if} is not known here`);
    if (step.uses) act(step, suite, runner.artifacts, fill);
    else {
      const env = Object.fromEntries(
        Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(String(value))]),
      );
      const { code, output } = await suite.shell(fill(step.run!), {
        GITHUB_REPOSITORY: 'owner/name',
        ...env,
      });
      if (code !== 0) throw new Error(`\`${step.run}\` ended with ${code}:\n${output}`);
    }
  }
  return suite;
}

function act(
  { uses, with: given = {} }: Step,
  suite: DocsSuite,
  artifacts: string,
  fill: (text: string) => string,
): void {
  const path = join(suite.folder, fill(String(given.path ?? '')));
  switch (uses!.split('@')[0]) {
    case 'actions/checkout':
    case 'actions/setup-node':
      return;
    case 'actions/upload-artifact': {
      if (!existsSync(path)) throw new Error(`there is nothing to upload at ${given.path}`);
      cpSync(path, join(artifacts, fill(String(given.name))), { recursive: true });
      return;
    }
    case 'actions/download-artifact': {
      const prefix = String(given.pattern).replace(/\*$/, '');
      mkdirSync(path, { recursive: true });
      for (const name of readdirSync(artifacts))
        if (name.startsWith(prefix)) cpSync(join(artifacts, name), path, { recursive: true });
      return;
    }
    case 'actions/cache/save':
      cpSync(path, join(artifacts, `cache-${fill(String(given.key))}`));
      return;
    case 'actions/cache/restore': {
      const kept = readdirSync(artifacts).find(name => name.startsWith(`cache-${given['restore-keys']}`));
      if (kept) cpSync(join(artifacts, kept), path);
      return;
    }
    default:
      throw new Error(`the action ${uses} is not known here`);
  }
}
