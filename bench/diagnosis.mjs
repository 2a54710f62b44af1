// Whether a diagnosis names the true cause: the example site, broken in known ways, is played by agents that take different
// ways, and so is the intact site. It is one real run. The diagnosis of each lost spec in the results file is graded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSite } from '../example-tasks/site/server.mjs';
import { AT_FAULT } from './diagnosis/at-fault.mjs';
import { grade } from './diagnosis/grade.mjs';
import { startVariants } from './diagnosis/site.mjs';
import { VARIANTS } from './diagnosis/variants.mjs';
import { LAUNCH, makeSuite, ROOT } from './lib/processes.mjs';
import { median, spread } from './lib/report.mjs';

const file = path => readFileSync(join(ROOT, path), 'utf8');

export async function diagnosis({ quick }) {
  const all = [...VARIANTS, ...AT_FAULT];
  // Rules are tuned on the others.
  const heldOut = all.filter((_, index) => index % 3 === 2);
  const variants = chosen(all, quick);
  const tasks = [...new Set(variants.map(({ task }) => task))];
  const specs = tasks.map(task => {
    const text = file(`example-tasks/tasks/${task}.yaml`).replace(/^passPolicy:\n(?: +.*\n)+/m, '');
    return [`tasks/${task}.yaml`, `${text}passPolicy: { k: 1, minPasses: 1 }\n`];
  });
  const whole = await startSite({ port: 0, slowMs: 300 });
  try {
    return await measure({
      sites: [{ id: 'whole', url: whole.url, tasks, variants }],
      heldOut,
      atFault: AT_FAULT,
      files: { ...Object.fromEntries(specs), 'ways.mjs': file('bench/diagnosis/ways.mjs') },
      atLeast: 80,
    });
  } finally {
    await whole.close();
  }
}

/** All, a few, or those that `BENCH_VARIANTS=banner,off-screen` names. */
export function chosen(all, quick) {
  const only = process.env.BENCH_VARIANTS?.split(',');
  return all.filter(({ id }, index) => (only ? only.includes(id) : !quick || index % 8 === 0));
}

/**
 * @typedef {object} Site an intact one
 * @property {string} id
 * @property {string} url
 * @property {string[]} tasks by the ids of their specs
 * @property {readonly import('./diagnosis/variants.mjs').Variant[]} variants what is broken in it
 */

/** @param {{ sites: Site[], heldOut: readonly unknown[], atFault: readonly unknown[], files: Record<string, string>, atLeast: number }} measured */
export async function measure({ sites, heldOut, atFault, files, atLeast }) {
  const proxies = await startVariants(sites);
  const variants = sites.flatMap(({ variants }) => variants);
  const cases = variants.flatMap(variant =>
    variant.players.map(player => ({ variant, player, id: `${variant.id}.${player}` })),
  );
  const suite = makeSuite({ ...filesOf(cases, sites, proxies), ...files });
  try {
    const child = suite.playwright(['test']);
    await child.ended;
    const { verdicts } = JSON.parse(suite.read('taskproof-results.json'));
    const looks = suite
      .read('looks.jsonl')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const unmet = proxies.unmet();
    if (unmet.length)
      throw new Error(`the site no longer has what these variants change: ${unmet.join(', ')}`);
    const all = cases.map(({ id, variant }) => {
      const { verdict, diagnosis } = verdicts.find(({ project }) => project === id) ?? {};
      const site = sites.find(({ variants }) => variants.includes(variant))?.id;
      const from = { id, site, cause: variant.cause };
      const kind = { heldOut: heldOut.includes(variant), fault: atFault.includes(variant) };
      return { ...from, ...kind, lost: verdict === 'failed', ...grade(variant.named, diagnosis) };
    });
    return report(all, verdicts, looks, { sites, atLeast });
  } finally {
    suite.remove();
    await proxies.close();
  }
}

/** A project for each case, and one for each agent on an intact site: the passed trials to compare with. */
function filesOf(cases, sites, proxies) {
  const whole = sites.flatMap(({ id, url, tasks }) =>
    ['lexical', 'hands'].map(player => ({ id: `${id}.${player}`, player, url, grep: tasks.join('|') })),
  );
  const broken = cases.map(({ id, player, variant }) => ({
    id,
    player,
    url: proxies.urls.get(variant.id),
    grep: variant.task,
  }));
  const agentOf = player =>
    player === 'lexical' ? 'lexical({ actionTimeoutMs: 2000 })' : `player('${player}')`;
  const projects = [...whole, ...broken].map(
    ({ id, player, url, grep }) =>
      `{ name: '${id}', grep: /${grep}/, use: { taskproof: { agent: ${agentOf(player)}, origin: '${url}' } } },`,
  );
  return {
    'players.mjs': file('bench/diagnosis/players.mjs'),
    'moves.mjs': file('bench/diagnosis/moves.mjs'),
    // The results file does not say how long a page was examined.
    'records.mjs': `import { appendFileSync } from 'node:fs';
export default class { onTestEnd(test, { attachments, steps }) {
  const record = attachments.find(({ name }) => name === '_taskproof');
  const look = steps.flatMap(step => [step, ...step.steps]).find(({ title }) => title.startsWith('look for what stood'));
  if (!record || !look) return;
  const { examination, durationMs } = JSON.parse(String(record.body));
  const project = test.parent.project().name;
  appendFileSync('looks.jsonl', JSON.stringify({ project, ms: look.duration, durationMs, examination }) + '\\n');
} }`,
    'tasks.spec.mjs': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
    'playwright.config.mjs': `import { lexical } from '@taskproof/playwright';
import { player } from './players.mjs';
export default { workers: 2, fullyParallel: true, testMatch: 'tasks.spec.mjs', expect: { timeout: 1_000 },
  reporter: [['line'], ['./records.mjs'], ['@taskproof/playwright/reporter']],
  use: { launchOptions: ${LAUNCH}, taskproof: { turnTimeoutMs: 10_000 } },
  projects: [${projects.join('\n')}] };`,
  };
}

function report(all, verdicts, looks, { sites, atLeast }) {
  const whole = verdicts.filter(({ project }) => sites.some(({ id }) => project.startsWith(`${id}.`)));
  const lost = all.filter(({ lost }) => lost);
  const share = (rows, of) => (rows.length ? (rows.filter(of).length / rows.length) * 100 : null);
  const row = (name, rows, of, target) => ({
    name,
    value: share(rows, of),
    unit: '%',
    runs: rows.length,
    ...(target && { target }),
  });
  const broken = lost.filter(({ fault }) => !fault);
  const site = new Set(broken.map(({ cause }) => cause)).size;
  const least = { atLeast };
  const isRight = ({ right }) => right;
  return {
    title: `${site} broken variants and ${lost.length - broken.length} agents at fault, ${lost.length} lost specs`,
    rows: [
      row('the cause is named first', broken, isRight, least),
      row(
        'the cause is named first: variants that rules were tuned on',
        broken.filter(({ heldOut }) => !heldOut),
        isRight,
        least,
      ),
      row(
        'the cause is named first: variants held out',
        broken.filter(({ heldOut }) => heldOut),
        isRight,
        least,
      ),
      ...(sites.length > 1
        ? sites.map(({ id }) =>
            row(
              `the cause is named first: ${id}`,
              broken.filter(({ site }) => site === id),
              isRight,
            ),
          )
        : []),
      row('a finding that is not the cause stands first', lost, ({ falsely }) => falsely, { atMost: 3 }),
      row(
        'the agent is at fault, and nothing on the site is blamed',
        lost.filter(({ fault }) => fault),
        ({ falsely }) => !falsely,
        { atLeast: 100 },
      ),
      row('the same tasks pass on the whole site', whole, ({ verdict }) => verdict === 'passed', {
        atLeast: 100,
      }),
      row(
        'looks at the page that ran out of time',
        looks,
        ({ examination }) => !examination || examination.incomplete,
      ),
      {
        name: 'time of a look over what it may take (5% of the trial, or 3 s)',
        ...spread(looks.map(({ ms, durationMs }) => (ms / Math.max(3_000, durationMs * 0.05)) * 100)),
        unit: '%',
        target: { atMost: 100 },
        note: `${Math.round(median(looks.map(({ ms }) => ms)))} ms`,
      },
    ],
    details: {
      looks,
      lost,
      notLost: all.filter(({ lost }) => !lost).map(({ id }) => id),
      whole: whole.filter(({ verdict }) => verdict !== 'passed'),
    },
  };
}
