// What regrading says of trials that were not played: early stop left them out, or their verdict needs them now.
import { planKey, planName } from '../../data/plan';
import { type Decision, decide } from '../../playwright/run/decide';
import { readLedger } from '../../playwright/run/ledger';
import { runSettings } from '../../playwright/run/settings';
import { bySpec, type PlannedTest } from '../planning';

/** By the trials that are kept, with their new grades. */
function decisionOn({ test, plan, project }: PlannedTest, earlyStop = plan.earlyStop): Decision {
  const asked = { plan, project: project.name, index: test.repeatEachIndex, earlyStop };
  return decide(asked, readLedger(project.name, planName(plan)), runSettings());
}

/** Undefined if the trial was needed. */
export function whyNotPlayed(planned: PlannedTest): string | undefined {
  const decision = decisionOn(planned);
  return 'skip' in decision ? decision.skip : undefined;
}

/** A trial, or a spec, that can't be regraded. */
export type Unknown = { of: PlannedTest; why: string };

/** Specs whose kept trials are too few for a verdict, as after a stricter policy than the one by which early stop went. */
export function unsettled(planned: readonly PlannedTest[], unknown: readonly Unknown[]): Unknown[] {
  const keyOf = ({ project, plan }: PlannedTest) => planKey(project.name, plan);
  const known = new Set(unknown.map(({ of }) => keyOf(of)));
  const isOpen = (of: PlannedTest) =>
    readLedger(of.project.name, planName(of.plan)).ended.length > 0 && 'run' in decisionOn(of, true);
  return bySpec(planned).flatMap(([of]) =>
    isOpen(of) && !known.has(keyOf(of)) ? [{ of, why: 'the verdict needs trials that were not graded' }] : [],
  );
}
