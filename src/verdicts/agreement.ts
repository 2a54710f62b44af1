// How far a judge agrees with the people who labelled the same trials.
import { compareText } from '../data/collections';
import type { Rated } from '../data/labels';
import { seeded, wilsonInterval } from './statistics';

export type Agreement = ReturnType<typeof agreementOf>;
type Counts = ReturnType<typeof countsOf>;

/** Fewer labels, or fewer of a kind, tell nothing about a judge: one that passes everything would agree with most of them. */
export const LEAST_LABELS = 20;
export const LEAST_OF_A_KIND = 3;

const DRAWS = 2_000;

/** Counts labels that have a judgement: those with the same outcome (`agreed`), and those of trials that people passed (`right`). */
export function countsOf(all: readonly Rated[]) {
  const count = (label: boolean, passed: boolean) =>
    all.filter(one => one.label === label && one.passed === passed).length;
  const [rightPasses, falsePasses, falseFails] = [count(true, true), count(false, true), count(true, false)];
  const agreed = rightPasses + count(false, false);
  const labels = agreed + falsePasses + falseFails;
  return { labels, agreed, right: rightPasses + falseFails, falsePasses, falseFails };
}

/** The same in any order. Without labels, all intervals are null; if only one value occurs, so are alpha and its interval. */
export function agreementOf(all: readonly Rated[]) {
  const counts = countsOf(all);
  const interval = wilsonInterval(counts.agreed, counts.labels);
  return { ...counts, interval, alpha: alphaOf(counts), alphaInterval: alphaInterval(all) };
}

/** Whether a judge agrees as often as `least` asks for, 0 to 1. `open`: too few labels. */
export function trustIn({ labels, agreed, right }: Counts, least: number): 'agrees' | 'differs' | 'open' {
  if (labels < LEAST_LABELS || Math.min(right, labels - right) < LEAST_OF_A_KIND) return 'open';
  return agreed / labels >= least ? 'agrees' : 'differs';
}

/**
 * Krippendorff's alpha of two raters and two nominal values: 1 is agreement, 0 what chance would bring. Krippendorff (2011), "Computing
 * Krippendorff's alpha-reliability", University of Pennsylvania. Trials with only one of the two values are left out.
 */
function alphaOf({ labels, right, falsePasses, falseFails }: Counts): number | null {
  const passes = right + (right - falseFails + falsePasses);
  const fails = 2 * labels - passes;
  if (!passes || !fails) return null;
  return 1 - ((2 * labels - 1) * (falsePasses + falseFails)) / (passes * fails);
}

/**
 * 95%, by bootstrap over the trials, as Zapf et al. (2016), "Measuring inter-rater reliability for nominal data", BMC Medical Research
 * Methodology 16:93, recommend. Draws in which only one value occurs have no alpha, and are left out.
 */
function alphaInterval(all: readonly Rated[]): [number, number] | null {
  const kindOf = ({ label, passed }: Rated) => `${!label} ${label === passed}`;
  const rated = all.filter(({ label, passed }) => label !== null && passed !== null);
  rated.sort((a, b) => compareText(kindOf(a), kindOf(b)));
  const random = seeded(1);
  const draw = () => alphaOf(countsOf(rated.map(() => rated[Math.floor(random() * rated.length)]!))) ?? [];
  const alphas = Array.from({ length: DRAWS }, draw).flat();
  alphas.sort((a, b) => a - b);
  const at = (share: number) => alphas[Math.round(share * (alphas.length - 1))]!;
  return alphas.length ? [at(0.025), at(0.975)] : null;
}
