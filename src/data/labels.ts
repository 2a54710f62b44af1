// The labels file: what people and judges say of kept trials. One line each, sorted, so that Git can merge two branches.
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { compareText } from './collections';
import type { JudgeResult } from './record';
import { checked, readJson } from './results';

export const LABELS_FILE = 'taskproof-labels.json';
const LABELS_SCHEMA_VERSION = '1';

const trialFields = {
  /** SHA-256 of the trial's record, shortened. */
  trial: z.string().regex(/^[0-9a-f]{32}$/),
  /** SHA-256 of the rubric, without the values of placeholders. */
  rubric: z.string(),
};

const labelSchema = z.object({
  /** As `planName` returns it. */
  spec: z.string(),
  project: z.string(),
  ...trialFields,
  /** When the trial began, and its number. */
  run: z.string(),
  index: z.int().nonnegative(),
  label: z.enum(['passed', 'failed', 'unclear']),
  at: z.iso.datetime(),
});

const judgeSchema = z.object({
  judge: z.string(),
  model: z.string().nullable(),
  /** The version of its prompts; null if it says none. */
  prompt: z.string().nullable(),
});

const answerSchema = z.object({ ...judgeSchema.shape, ...trialFields, passed: z.boolean() });

const labelsSchema = z.object({
  schemaVersion: z.literal(LABELS_SCHEMA_VERSION),
  labels: z.array(labelSchema),
  answers: z.array(answerSchema),
});

export type Label = z.infer<typeof labelSchema>;
export type JudgeName = z.infer<typeof judgeSchema>;
export type JudgeAnswer = z.infer<typeof answerSchema>;
export type Labels = Pick<z.infer<typeof labelsSchema>, 'labels' | 'answers'>;

/** One trial: whether a person and the judge passed it. Null: the person can't tell; there is no judgement. */
export type Rated = Record<'label' | 'passed', boolean | null>;

export function judgeName({ name = '', model, promptVersion }: JudgeResult): JudgeName {
  const prompt = promptVersion === undefined ? null : String(promptVersion);
  return { judge: name, model: model ?? null, prompt };
}

const judgeKey = ({ judge, model, prompt }: JudgeName) => JSON.stringify([judge, model, prompt]);

/** Empty if there is no file. @throws ResultsFileError if it is not one that this version can read. */
export function readLabels(file: string): Labels {
  if (!existsSync(file)) return { labels: [], answers: [] };
  const json = readJson(readFileSync(file, 'utf8'), file);
  return latest(checked(labelsSchema, json, file, 'the labels are'));
}

/** Of two labels of one trial, and of two answers of one judge, the later counts. */
function latest({ labels, answers }: Labels): Labels {
  const byTime = labels.toSorted((a, b) => compareText(a.at, b.at));
  const answerKey = (answer: JudgeAnswer) => `${answer.trial} ${judgeKey(answer)}`;
  return {
    labels: [...new Map(byTime.map(label => [label.trial, label])).values()],
    answers: [...new Map(answers.map(answer => [answerKey(answer), answer])).values()],
  };
}

export function labelsText(all: Labels): string {
  const { labels, answers } = latest(all);
  const lines = (list: readonly object[]) => {
    const sorted = list.map(each => JSON.stringify(each)).sort(compareText);
    return `[\n${sorted.join(',\n')}\n]`;
  };
  return `{\n"schemaVersion": "${LABELS_SCHEMA_VERSION}",\n"labels": ${lines(labels)},\n"answers": ${lines(answers)}\n}\n`;
}

/** What people and this judge said of the same trials. @param rubricOf the present rubric of a label; if it is unknown, any counts */
export function ratedBy(
  { labels, answers }: Labels,
  judge: JudgeName,
  rubricOf: (label: Label) => string | undefined,
): (Rated & { of: Label })[] {
  const key = judgeKey(judge);
  const answered = new Map(answers.filter(one => judgeKey(one) === key).map(one => [one.trial, one]));
  return labels.flatMap(of => {
    const answer = answered.get(of.trial);
    const isPresent = (rubricOf(of) ?? of.rubric) === of.rubric;
    if (!isPresent || answer?.rubric !== of.rubric) return [];
    return { of, label: of.label === 'unclear' ? null : of.label === 'passed', passed: answer.passed };
  });
}
