// Whether a diagnosis names the true cause: the example site, broken in known ways, is played by agents that take different
// ways, and so is the intact site. It is one real run. The diagnosis of each lost spec in the results file is graded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AT_FAULT } from './diagnosis/at-fault.mjs';
import { grade } from './diagnosis/grade.mjs';
import { startVariants } from './diagnosis/site.mjs';
import { VARIANTS } from './diagnosis/variants.mjs';
import { LAUNCH, makeSuite, ROOT } from './lib/processes.mjs';
import { median, spread } from './lib/report.mjs';

const AT_LEAST = 80;
const ALL = [...VARIANTS, ...AT_FAULT];
/** Rules are tuned on the others. */
const isHeldOut = variant => ALL.indexOf(variant) % 3 === 2;
/** To run only some of them: `BENCH_VARIANTS=banner,off-screen`. */
const only = process.env.BENCH_VARIANTS?.split(',');
const file = path => readFileSync(join(ROOT, path), 'utf8');

export async function diagnosis({ quick }) {
  const variants = ALL.filter(({ id }, index) => (only ? only.includes(id) : !quick || index % 8 === 0));
  const site = await startVariants(variants);
  const cases = variants.flatMap(variant =>
    variant.players.map(player => ({ variant, player, id: `${variant.id}.${player}` })),
  );
  const suite = makeSuite(filesOf(cases, site));
  try {
    const child = suite.playwright(['test']);
    await child.ended;
    const results = join(suite.folder, 'taskproof-results.json');
    const { verdicts } = JSON.parse(readFileSync(results, 'utf8'));
    const looks = readFileSync(join(suite.folder, 'looks.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const unmet = site.unmet();
    if (unmet.length)
      throw new Error(`the site no longer has what these variants change: ${unmet.join(', ')}`);
    return report(
      cases.map(each =>
        graded(
          each,
          verdicts.find(({ project }) => project === each.id),
        ),
      ),
      verdicts,
      looks,
    );
  } finally {
    suite.remove();
    await site.close();
  }
}

/** A project for each case, and one for each agent on the intact site: the passed trials to compare with. */
function filesOf(cases, site) {
  const tasks = [...new Set(cases.map(({ variant }) => variant.task))];
  const whole = ['lexical', 'hands'].map(player => ({
    id: `whole.${player}`,
    player,
    url: site.whole,
    grep: tasks.join('|'),
  }));
  const broken = cases.map(({ id, player, variant }) => ({
    id,
    player,
    url: site.urls.get(variant.id),
    grep: variant.task,
  }));
  const agentOf = player =>
    player === 'lexical' ? 'lexical({ actionTimeoutMs: 2000 })' : `player('${player}')`;
  const projects = [...whole, ...broken].map(
    ({ id, player, url, grep }) =>
      `{ name: '${id}', grep: /${grep}/, use: { taskproof: { agent: ${agentOf(player)}, origin: '${url}' } } },`,
  );
  const specs = tasks.map(task => {
    const text = file(`example-tasks/tasks/${task}.yaml`).replace(/^passPolicy:\n(?: +.*\n)+/m, '');
    return [`tasks/${task}.yaml`, `${text}passPolicy: { k: 1, minPasses: 1 }\n`];
  });
  return {
    ...Object.fromEntries(specs),
    'players.mjs': file('bench/diagnosis/players.mjs'),
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

function graded({ variant, id }, row) {
  const { cause } = variant;
  const from = { id, cause, heldOut: isHeldOut(variant), fault: AT_FAULT.includes(variant) };
  return { ...from, lost: row?.verdict === 'failed', ...grade(variant.named, row?.diagnosis) };
}

function report(all, verdicts, looks) {
  const whole = verdicts.filter(({ project }) => project.startsWith('whole.'));
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
  const least = { atLeast: AT_LEAST };
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
      row('a finding that is not the cause stands first', lost, ({ falsely }) => falsely),
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
