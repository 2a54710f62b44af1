// `taskproof judge check`: judges grade the labelled trials again, and what they say is kept beside the labels.
import { groupBy, leastOf, sumOf } from '../../data/collections';
import { judgeName, type Label, labelsText, ratedBy, readLabels } from '../../data/labels';
import { keyIn, planKey } from '../../data/plan';
import type { JudgeResult } from '../../data/record';
import { sumOfCosts } from '../../data/usage';
import { givenOptions, type TaskproofOptions } from '../../playwright/run/options';
import { askAgain, specOf } from '../../playwright/run/regrade';
import type { CheckRun } from '../../playwright/run/settings';
import { writeText } from '../../text/file';
import { formatCost, plural, print, withModel } from '../../text/print';
import { gradingOf } from '../kept/regrade-result';
import type { PlannedTest } from '../planning';
import { readLabelled } from './kept';

const PARALLEL = 4;
/** Added for each trial: a judge reserves more for a request than it usually costs. */
const EXTRA_USD = 0.02;

type Judge = NonNullable<TaskproofOptions['judge']>;
type Asking = { of: Label; planned: PlannedTest; judge: Judge; earlier: JudgeResult };

export type CheckedTrial = Awaited<ReturnType<typeof ask>>;
export type JudgeCheck = Awaited<ReturnType<typeof checkJudges>>;

/** @returns each judge's answers; `rated` has earlier ones to trials that are not kept here, too @throws Error if a judge can't work */
export async function checkJudges(
  planned: readonly PlannedTest[],
  configFolder: string,
  { labelsFile = '', maxCostUsd }: Pick<CheckRun, 'labelsFile' | 'maxCostUsd'>,
) {
  const specs = new Map(planned.map(each => [planKey(each.project.name, each.plan), each]));
  const specFor = ({ project, spec }: Label) => specs.get(keyIn(project, spec));
  const asked: Asking[] = [];
  const notAsked = { stale: [] as Label[], gone: [] as Label[], elsewhere: [] as Label[] };
  // Trials that people could not decide are left out.
  for (const of of readLabels(labelsFile).labels.filter(({ label }) => label !== 'unclear')) {
    const planned = specFor(of);
    const { judge } = givenOptions(planned?.options);
    const earlier = readLabelled(configFolder, of.trial)?.record.judge;
    if (!planned || !judge) notAsked.elsewhere.push(of);
    else if (planned.plan.rubricHash !== of.rubric) notAsked.stale.push(of);
    else if (!earlier) notAsked.gone.push(of);
    else asked.push({ of, planned, judge, earlier });
  }
  const judges = [];
  for (const [judge, all] of groupBy(asked, each => each.judge)) {
    await judge.preflight?.();
    const trials: CheckedTrial[] = [];
    let left = announce(judge, all, maxCostUsd);
    for (let at = 0; at < all.length; at += PARALLEL) {
      if (left === 0) {
        const reason = 'it was not asked: the costs have reached --max-cost';
        trials.push(...all.slice(at).map(({ of }) => ({ of, who: null, passed: null, reason, costUsd: 0 })));
        break;
      }
      const some = all.slice(at, at + PARALLEL);
      // What is asked at the same time shares what is left.
      const budgetUsd = left && left / some.length;
      const answers = await Promise.all(some.map(each => ask(each, budgetUsd, configFolder, labelsFile)));
      left = left && Math.max(0, left - sumOf(answers, ({ costUsd }) => costUsd ?? budgetUsd!));
      trials.push(...answers);
    }
    const { prompt } = trials.findLast(({ who }) => who)?.who ?? judgeName(all[0].earlier);
    const who = { judge: judge.name, model: judge.model ?? null, prompt };
    const rated = ratedBy(readLabels(labelsFile), who, label => specFor(label)?.plan.rubricHash);
    judges.push({ ...who, minAgreement: judge.minAgreement, trials, rated });
  }
  return { judges, notAsked };
}

/** Says what it will cost. @returns US dollars that it may cost; undefined without a bound */
function announce(judge: Judge, all: readonly Asking[], maxCostUsd: number | undefined): number | undefined {
  const listed = (value: unknown) => (Array.isArray(value) ? (value as { score?: number | null }[]) : []);
  const judged = all.map(({ earlier }) => earlier);
  const specs = new Set(all.map(({ of }) => of.rubric)).size;
  const requests = sumOf(judged, ({ screenshots, votes }) => {
    const scored = listed(screenshots).filter(({ score }) => typeof score === 'number');
    return scored.length + (listed(votes).length || 1);
  });
  const costUsd = sumOfCosts(judged.map(({ usage }) => (usage ? usage.costUsd : 0)));
  const expected = costUsd === null ? undefined : costUsd * 2 + EXTRA_USD * all.length;
  const cap = leastOf([maxCostUsd ?? expected, givenOptions(all[0]?.planned.options).maxRunCostUsd]);
  const bound = cap === undefined ? 'of unknown cost' : `at most ${formatCost(cap)} (--max-cost)`;
  print(
    process.stderr,
    `taskproof: ${withModel(judge.name, judge.model)} grades ${plural(all.length, 'labelled trial')} again: about ${plural(specs + requests, 'request')}, ${bound}`,
  );
  return cap;
}

/** @returns `passed`: null if there is no judgement */
async function ask(
  { of, planned, judge }: Asking,
  budgetUsd: number | undefined,
  configFolder: string,
  labelsFile: string,
) {
  const kept = readLabelled(configFolder, of.trial)!;
  const grading = gradingOf(planned, configFolder);
  const spec = specOf(kept.record, grading);
  const { assertions } = kept.record;
  const asked = await askAgain(kept, { spec, judge, assertions, budgetUsd, mask: grading.mask });
  const { judgement, error = '', usage } = asked;
  const costUsd = usage ? usage.costUsd : 0;
  if (!judgement) return { of, who: null, passed: null, reason: error, costUsd };
  const { passed, reason } = judgement;
  const who = judgeName(judgement);
  // Written at once, since it is paid for and Ctrl-C may end this. Read again, since someone may have added labels.
  const { labels, answers } = readLabels(labelsFile);
  const { trial, rubric } = of;
  writeText(labelsFile, labelsText({ labels, answers: [...answers, { ...who, trial, rubric, passed }] }));
  return { of, who, passed, reason, costUsd };
}
