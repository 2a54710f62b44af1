// `taskproof judge`: people label kept trials, the judge grades them again, and how often they agree is printed.
import { relative, resolve } from 'node:path';
import { LABELS_FILE, type Label, readLabels } from '../data/labels';
import { sumOfCosts } from '../data/usage';
import type { CheckedTrial, JudgeCheck } from '../report/judge/check';
import { candidatesIn } from '../report/judge/kept';
import { serveLabels } from '../report/judge/label-server';
import { STORE_FOLDER } from '../report/kept/stored-run';
import { specLabel } from '../report/render/document';
import { few, oneLine } from '../text/line';
import { formatCost, formatRate, plural, withModel } from '../text/print';
import { type Agreement, agreementOf, LEAST_LABELS, LEAST_OF_A_KIND, trustIn } from '../verdicts/agreement';
import { atLeastOne } from './baseline';
import { dollars } from './confirm';
import { CommandError, configFolder, type Io, playChecked } from './io';
import type { AddCommand } from './program';

const DEFAULT_RUNS = 3;
const CAN_NOT_TELL = 3;

type JudgeOptions = { labels?: string; runs: number; maxCost?: number };

export const addJudge: AddCommand = (program, io, exit) => {
  const judge = program.command('judge').description('Find out how often the judge agrees with you.');
  judge
    .command('label')
    .description('Label kept trials by the rubric, on a local page.')
    .usage('[options] [-- --config=<file>]')
    .option('--runs <n>', 'label trials of the last n runs', atLeastOne, DEFAULT_RUNS)
    .option('--labels <file>', `the labels (default: "${LABELS_FILE}" beside the config)`)
    .helpEnd(`
Prints an address to open in a browser. It shows trials that a judge has graded, without its verdict
until there is a label: p pass, f fail, c can't tell. Each label is saved at once: go back to change it.

Examples:
  taskproof judge label
  taskproof judge label --runs 10 --labels baselines/${LABELS_FILE}`)
    .action((options: JudgeOptions) => label(io, options));
  judge
    .command('check')
    .description('Let the judge grade the labelled trials again: how often it agrees with the labels.')
    .usage('[options] [-- arguments for playwright test]')
    .option('--labels <file>', `the labels (default: "${LABELS_FILE}" beside the config)`)
    .option(
      '--max-cost <usd>',
      'default: twice what these judgements cost before, plus 2 cents each',
      dollars,
    )
    .helpEnd(`
Asks the judge of the suite's config, which costs what its requests cost, and runs no trials. Its
answers are kept beside the labels, for \`minAgreement\` and the summary of later runs.

Exit code:
  0  measured, and not below the judge's minAgreement
  1  below it
  2  the command failed
  3  can't tell: a trial got no judgement; fewer than ${LEAST_LABELS} labels, or than ${LEAST_OF_A_KIND} passed and ${LEAST_OF_A_KIND} failed; without minAgreement: none

Examples:
  taskproof judge check
  taskproof judge check --max-cost 2 -- --config=agents/playwright.config.ts`)
    .action(async (options: JudgeOptions) => exit(await check(io, options)));
};

const labelsFileOf = (io: Io, { labels }: JudgeOptions) =>
  labels === undefined ? resolve(configFolder(io), LABELS_FILE) : resolve(io.cwd, labels);

async function label(io: Io, options: JudgeOptions): Promise<void> {
  const folder = configFolder(io);
  const candidates = candidatesIn(folder, options.runs);
  if (!candidates.length)
    throw new CommandError(
      `There is nothing to label: no trial that a judge has graded is kept in ${resolve(folder, STORE_FOLDER)}. Run \`npx playwright test\` with a judge first. If your config is elsewhere, name it: npx taskproof judge label -- --config=<file>`,
    );
  const labelsFile = labelsFileOf(io, options);
  const shown = relative(io.cwd, labelsFile);
  const before = readLabels(labelsFile).labels.length;
  const server = await serveLabels(candidates, { configFolder: folder, labelsFile });
  io.out(`${plural(candidates.length, 'trial')} to label, ${before} labelled so far: ${server.url}`);
  io.out('Open it in a browser. Each label is saved at once; press Ctrl-C to stop.');
  await new Promise<void>(done => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  server.close();
  io.out(`${plural(readLabels(labelsFile).labels.length, 'label')} in ${shown}`);
}

async function check(io: Io, options: JudgeOptions): Promise<number> {
  const labelsFile = labelsFileOf(io, options);
  if (!readLabels(labelsFile).labels.length)
    throw new CommandError(`There are no labels in ${labelsFile}. Add some: npx taskproof judge label`);
  const { judges, notAsked } = await playChecked<JudgeCheck>(
    io,
    { purpose: 'judge', labelsFile, maxCostUsd: options.maxCost },
    ['--list'],
    text => JSON.parse(text),
    `What the judge has answered is kept in ${relative(io.cwd, labelsFile)}, and counts.`,
  );
  const measured = judges.map(judge => ({ judge, agreement: agreementOf(judge.rated) }));
  const lines = measured.flatMap(({ judge, agreement }) => judgeLines(judge, agreement));
  io.out([...lines, ...notAskedLines(notAsked)].join('\n'));
  const trusts = measured.map(({ judge: { minAgreement, trials }, agreement }) => {
    const unbound = agreement.labels ? 'agrees' : 'open';
    const trust = minAgreement === undefined ? unbound : trustIn(agreement, minAgreement);
    return trust === 'agrees' && trials.some(isUnanswered) ? 'open' : trust;
  });
  if (trusts.includes('differs')) return 1;
  return trusts.length && !trusts.includes('open') ? 0 : CAN_NOT_TELL;
}

const isUnanswered = ({ passed }: CheckedTrial) => passed === null;

function judgeLines(checked: JudgeCheck['judges'][number], found: Agreement): string[] {
  const { judge, model, minAgreement, trials } = checked;
  const { labels, agreed, right, falsePasses, falseFails, interval, alpha, alphaInterval } = found;
  const within =
    interval &&
    `, ${formatRate(agreed / labels)} (95%: ${interval.map(each => formatRate(each)).join(' to ')})`;
  const needed = minAgreement === undefined ? '' : `; minAgreement is ${formatRate(minAgreement)}`;
  const alphaText =
    alpha === null
      ? 'none, since all values are the same'
      : `${alpha.toFixed(2)} (95%: ${alphaInterval!.map(each => each.toFixed(2)).join(' to ')})`;
  const unanswered = trials.filter(isUnanswered).length;
  const differing = trials.filter(({ of, passed }) => passed !== (of.label === 'passed'));
  return [
    withModel(judge, model),
    `  agrees with    ${agreed} of ${labels} labels${within ?? ''}${needed}`,
    `  Krippendorff's alpha: ${alphaText}`,
    `  false passes   ${falsePasses} of ${labels - right} that people failed`,
    `  false fails    ${falseFails} of ${right} that people passed`,
    `  cost           ${formatCost(sumOfCosts(trials.map(({ costUsd }) => costUsd)))}`,
    unanswered > 0 &&
      `  no judgement   ${unanswered} of ${plural(trials.length, 'trial')}: the figures above rest on earlier answers`,
    ...differing.map(({ of, passed, reason }) => {
      const said = passed === null ? 'no judgement' : `${passed ? 'passed' : 'failed'}, labelled ${of.label}`;
      return oneLine(`  ${nameOf(of)}: ${said}: ${reason}`, 500);
    }),
  ].filter(line => line !== false);
}

const nameOf = ({ spec, project, index, run }: Label) =>
  `${specLabel(spec, project)}, trial ${index + 1} of ${run}`;

const NOT_ASKED: Record<keyof JudgeCheck['notAsked'], string> = {
  stale: 'the rubric has changed. Run the spec and label it again',
  gone: 'the trial is not kept on this machine (an earlier answer of the judge counts)',
  elsewhere: 'the spec is not in this run, or has no judge',
};

const notAskedLines = (notAsked: JudgeCheck['notAsked']) =>
  (Object.keys(NOT_ASKED) as (keyof typeof NOT_ASKED)[]).flatMap(why => {
    const specs = [...new Set(notAsked[why].map(({ spec, project }) => specLabel(spec, project)))];
    const count = notAsked[why].length;
    return count ? `Not asked about ${plural(count, 'label')} (${few(specs, 5)}): ${NOT_ASKED[why]}` : [];
  });
