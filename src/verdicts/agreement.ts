// How far a judge agrees with the people who labelled the same trials.
import { sumOf } from '../data/collections';
import type { Rated } from '../data/labels';
import { seeded, wilsonInterval } from './statistics';

/** How many labels there are with a judgement, and how many of these say the same. */
export interface Counts {
  labels: number;
  agreed: number;
  /** What people passed; they failed the others. */
  right: number;
  falsePasses: number;
  falseFails: number;
}

export interface Agreement extends Counts {
  /** Wilson's 95% interval of agreed / labels. */
  interval: [number, number] | null;
  /** Null if only one value occurs. */
  alpha: number | null;
  alphaInterval: [number, number] | null;
}

/** Fewer labels, or fewer of a kind, tell nothing about a judge: one that passes everything would agree with most of them. */
export const LEAST_LABELS = 20;
export const LEAST_OF_A_KIND = 3;

const DRAWS = 2_000;

export function countsOf(all: readonly Rated[]): Counts {
  const count = (label: boolean, passed: boolean) =>
    sumOf(all, one => Number(one.label === label && one.passed === passed));
  const [falsePasses, falseFails] = [count(false, true), count(true, false)];
  const agreed = count(true, true) + count(false, false);
  const labels = agreed + falsePasses + falseFails;
  return { labels, agreed, right: count(true, true) + falseFails, falsePasses, falseFails };
}

/** The same for the same trials in any order. */
export function agreementOf(all: readonly Rated[]): Agreement {
  const counts = countsOf(all);
  const interval = wilsonInterval(counts.agreed, counts.labels);
  return { ...counts, interval, alpha: alphaOf(counts), alphaInterval: alphaInterval(counts) };
}

/** Whether a judge agrees as often as `least` asks for, 0 to 1. `open`: too few labels. */
export function trustIn({ labels, agreed, right }: Counts, least: number): 'agrees' | 'differs' | 'open' {
  if (labels < LEAST_LABELS || Math.min(right, labels - right) < LEAST_OF_A_KIND) return 'open';
  return agreed / labels >= least ? 'agrees' : 'differs';
}

/**
 * Krippendorff's alpha of two raters and two nominal values: 1 is agreement, 0 what chance would bring. Krippendorff (2011), "Computing
 * Krippendorff's alpha-reliability", University of Pennsylvania. A trial with one value alone says nothing.
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
function alphaInterval({ labels, right, falsePasses, falseFails }: Counts): [number, number] | null {
  const random = seeded(1);
  const draw = () => {
    const drawn = { labels, agreed: 0, right: 0, falsePasses: 0, falseFails: 0 };
    for (let trial = 0; trial < labels; trial++) {
      const which = Math.floor(random() * labels);
      if (which < right) drawn.right++;
      if (which < falseFails) drawn.falseFails++;
      if (which >= right && which < right + falsePasses) drawn.falsePasses++;
    }
    return alphaOf(drawn) ?? [];
  };
  const alphas = Array.from({ length: DRAWS }, draw).flat();
  alphas.sort((a, b) => a - b);
  const at = (share: number) => alphas[Math.round(share * (alphas.length - 1))]!;
  return alphas.length ? [at(0.025), at(0.975)] : null;
}
