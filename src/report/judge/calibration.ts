// Whether the judgements of a run count: a judge with `minAgreement` first has to agree with the labels.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { judgeName, LABELS_FILE, type Label, type Labels, ratedBy, readLabels } from '../../data/labels';
import { keyIn } from '../../data/plan';
import type { JudgeResult } from '../../data/record';
import type { JudgeAgreement } from '../../data/results';
import { messageOf } from '../../text/line';
import { print } from '../../text/print';
import { countsOf, LEAST_LABELS, LEAST_OF_A_KIND, trustIn } from '../../verdicts/agreement';
import type { SpecRun } from '../spec-run';

/** Beside the baseline, if there is one; else beside the config, where `judge label` writes it. @param baseline its path */
export function labelsFileFor(configFolder: string, baseline: string): string {
  const near = join(dirname(baseline), LABELS_FILE);
  return existsSync(near) ? near : join(configFolder, LABELS_FILE);
}

type Trusted = JudgeAgreement & { whyNot: string | null; rubrics: ReadonlySet<string> };

export class Calibration {
  private labels: Labels | undefined;
  private readonly known = new Map<string, Trusted>();

  /** @param runs by `planKey`; filled by the reporter when it knows the tests */
  constructor(
    private readonly labelsFile: string,
    private readonly runs: ReadonlyMap<string, Pick<SpecRun, 'planned'>>,
  ) {}

  get judges(): JudgeAgreement[] | undefined {
    const all = [...this.known.values()].map(({ whyNot, rubrics, ...agreement }) => agreement);
    return all.length ? all : undefined;
  }

  /** Why a judgement does not count, in one line; null if it does. @param rubric its hash */
  whyNot(judge: JudgeResult, rubric: string | undefined): string | null {
    const { minAgreement } = judge;
    const { whyNot, rubrics } = this.of(judge);
    if (minAgreement === undefined) return null;
    const why = rubrics.has(rubric ?? '') ? whyNot : 'has no label for this rubric';
    const said = `the judge ${judge.passed ? 'passed' : 'failed'} it, but`;
    return (
      why &&
      `${said} ${why}, and minAgreement is ${minAgreement}. Run npx taskproof judge label, then judge check`
    );
  }

  private of(judge: JudgeResult) {
    const name = judgeName(judge);
    const least = judge.minAgreement;
    const key = JSON.stringify([name, least]);
    const known = this.known.get(key);
    if (known) return known;
    const rubricOf = ({ project, spec }: Label) => this.runs.get(keyIn(project, spec))?.planned.rubricHash;
    const rated = ratedBy(this.read(), name, rubricOf);
    const counts = countsOf(rated);
    const { labels, agreed, right } = counts;
    const trust = least === undefined ? 'agrees' : trustIn(counts, least);
    const some = `has ${labels} of the ${LEAST_LABELS} labels that it needs (${right} passed, ${labels - right} failed; at least ${LEAST_OF_A_KIND} of each)`;
    const whyNot = { agrees: null, open: some, differs: `agrees with ${agreed} of ${labels} labels` }[trust];
    const rubrics = new Set(rated.map(({ of }) => of.rubric));
    const agreement = { judge: name.judge, model: name.model, labels, agreed };
    const made = { ...agreement, ...(least !== undefined && { minAgreement: least }), whyNot, rubrics };
    this.known.set(key, made);
    return made;
  }

  private read(): Labels {
    try {
      this.labels ??= readLabels(this.labelsFile);
    } catch (error) {
      print(process.stderr, `taskproof: labels are ignored: ${messageOf(error)}`);
    }
    this.labels ??= { labels: [], answers: [] };
    return this.labels;
  }
}
