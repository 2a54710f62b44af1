// Decides whether a trial runs, without side effects. The main process asks before the run and as trials end, a worker asks before each
// trial. Each leaves out what it can't know.
import { type Plan, planName } from '../../data/plan';
import { answerOf, verdictName } from '../../verdicts/policy';
import type { LedgerEntry } from './ledger';
import type { RunSettings } from './settings';

/** The trial that is asked about. */
export interface Asked {
  plan: Plan;
  project: string;
  /** Playwright's repeatEachIndex. */
  index: number;
  earlyStop?: boolean | undefined;
  maxRunCostUsd?: number | undefined;
  /** What is wrong with its secrets. */
  secrets?: string | undefined;
  /** The recording that a replay without a fallback needs and does not have. */
  recording?: { missing: string; otherwise: 'skip' | 'fail' } | undefined;
}

/** What the ledger knows. Read on access, since most trials run whatever it says. */
export interface LedgerState {
  /** Trials of this spec that have ended. */
  ended: readonly LedgerEntry[];
  /** US dollars that the trials of the run have cost so far, as far as prices are known. */
  spentUsd: number;
  /** The same, with what running trials may still cost. */
  committedUsd: number;
}

/** `isOpen` means that the trial is skipped although its verdict needs it. */
export type Decision = { run: true } | { skip: string; isOpen?: true } | { fail: string };

const NOT_KEPT =
  'the reporter "@taskproof/playwright/reporter", which has the trials of the earlier run, is not used in this run. Add it to `reporter` in the config.';

export function decide(asked: Asked, ledger: LedgerState, settings: RunSettings): Decision {
  const outside = notOfThisRun(asked, settings) ?? beyondK(asked, settings);
  if (outside !== undefined) return { skip: outside };
  if (settings.continues && !settings.judged && !settings.interactive) return { fail: NOT_KEPT };
  const { secrets, recording } = asked;
  if (secrets !== undefined) return { fail: secrets };
  if (recording) {
    const lacking = `no recording: ${recording.missing}`;
    return recording.otherwise === 'skip'
      ? { skip: lacking }
      : { fail: `${lacking}\n${howToRecord(asked.plan)}` };
  }
  const needless = settled(asked, ledger, settings) ?? answered(asked, ledger, settings);
  if (needless !== undefined) return { skip: needless };
  const over = overBudget(asked, ledger);
  if (over === undefined) return { run: true };
  // If nobody gives verdicts, a skipped test would leave the run green.
  return settings.judged || settings.interactive ? { skip: over, isOpen: true } : { fail: over };
}

function howToRecord({ id }: Plan): string {
  // A dot for each character that means something to a shell or in a pattern.
  const words = id.replace(/[^\w -]/g, '.');
  return `Run it once with another agent and \`record\` in use.taskproof: npx playwright test --grep " ${words} @"
If its answer is checked, it can't be recorded: set \`fallback\` or \`withoutRecording: 'skip'\` of replay().`;
}

function notOfThisRun(asked: Asked, settings: RunSettings): string | undefined {
  const { titlePath, replayed } = asked.plan;
  if (settings.purpose === 'probe' && titlePath) return 'a probe does not run the code of tests';
  if (!settings.wanted) return undefined;
  if (replayed) return 'a replay has no fresh trials';
  return wantedOf(asked, settings) ? undefined : 'this spec is not one of those that this run repeats';
}

export const wantedOf = ({ project, plan }: Asked, { wanted }: RunSettings) =>
  wanted?.find(one => one.project === project && one.spec === planName(plan));

/** Skips repeats beyond k. In an interactive run, a person watches one trial. */
function beyondK({ index, plan: { policy, replayed } }: Asked, settings: RunSettings): string | undefined {
  if (index < (settings.interactive ? 1 : policy.k)) return undefined;
  return replayed
    ? 'a recording is played once, or N times with --repeat-each=N'
    : `repeat ${index + 1} is beyond the spec's k of ${policy.k}`;
}

function settled(asked: Asked, ledger: LedgerState, { judged }: RunSettings): string | undefined {
  const { policy } = asked.plan;
  if (!asked.earlyStop || !judged) return undefined;
  const { ended } = ledger;
  const counts = countsOf(ended);
  const verdict = verdictName(policy, { ...counts, missing: policy.k - ended.length });
  if (verdict === 'undecided') return undefined;
  return `early stop: the verdict is settled (${verdict}, ${counts.passes} of ${ended.length} passed, needs ${policy.minPasses} of ${policy.k})`;
}

/** Why a confirmation does not need the trial, or can't afford it. */
function answered(asked: Asked, ledger: LedgerState, settings: RunSettings): string | undefined {
  const rule = wantedOf(asked, settings);
  if (!rule) return undefined;
  const answer = answerOf(rule, countsOf(ledger.ended));
  if (answer !== 'open') return `the answer is clear: ${answer}`;
  const cap = settings.maxCostUsd;
  if (cap === undefined || ledger.committedUsd <= cap + 1e-9) return undefined;
  return `another trial could cost more than the $${cap} of --max-cost`;
}

/** Why nothing that costs money starts any more. */
export function overBudget(
  { maxRunCostUsd: cap }: Pick<Asked, 'maxRunCostUsd'>,
  ledger: Pick<LedgerState, 'spentUsd'>,
): string | undefined {
  if (cap === undefined || ledger.spentUsd < cap) return undefined;
  return `the run has spent $${ledger.spentUsd.toFixed(4)} of its maxRunCostUsd of $${cap}, so no new trial starts`;
}

function countsOf(ended: readonly LedgerEntry[]) {
  const count = (outcome: LedgerEntry['outcome']) => ended.filter(entry => entry.outcome === outcome).length;
  return { passes: count('passed'), failures: count('failed') };
}
