// Pass policies for ordinary tests.
import type { TestDetails } from '@playwright/test';
import { checkOptions } from '../options';
import type { PassPolicy } from '../spec';
import { passPolicySchema } from '../spec/schema';
import { policyForRepeats } from '../verdicts/verdict';
import { policyAnnotation } from './annotations';
import { isFirstToSay, isJudged, openLedgerWithoutReporter } from './ledger';
import { isInteractive, repeatEachOverride } from './runner';
import { requirePlaywright } from './version';

/** What `passPolicy` returns: details of a test or a describe, which can be combined with others. */
export type PassPolicyDetails = TestDetails & {
  tag: '@pass-policy';
  annotation: { type: string; description: string };
};

/**
 * Runs an ordinary test, or those of a describe, k times; it passes if at least minPasses of the runs pass: `test('title',
 * passPolicy({ k: 5, minPasses: 4 }), async ({ page }) => { ... })`. It needs a project that repeats its tests
 * (`...repeats({ atLeast: 5 })`) and the reporter. The nearest policy applies; specs keep their own.
 *
 * @throws OptionsError for a policy that can't be met.
 */
export function passPolicy(policy: PassPolicy): PassPolicyDetails {
  requirePlaywright();
  openLedgerWithoutReporter();
  const given = checkOptions('passPolicy()', passPolicySchema, policy);
  const repeats = repeatEachOverride();
  const judged = repeats === undefined ? given : policyForRepeats(given, repeats);
  warnWithoutReporter(judged);
  const { type, description = '' } = policyAnnotation(judged);
  return { tag: '@pass-policy', annotation: { type, description } };
}

/** Without our reporter, each repeat has to pass. */
function warnWithoutReporter({ k, minPasses }: PassPolicy): void {
  const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
  if (!isWorker || isJudged() || isInteractive() || !isFirstToSay('policy-not-judged')) return;
  process.stderr.write(
    `taskproof: passPolicy({ k: ${k}, minPasses: ${minPasses} }) has no effect: the reporter "@taskproof/playwright/reporter" is not used in this run, so each repeat has to pass. Add it to \`reporter\` in the config, or to the command line: --reporter=dot,@taskproof/playwright/reporter\n`,
  );
}
