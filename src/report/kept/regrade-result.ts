// Regrades a kept trial: puts the new outcome, record and transcript into its result.
import { resolve } from 'node:path';
import { RECORD_ATTACHMENT } from '../../data/record';
import type { EarlierResult } from '../../playwright/inside/results';
import { givenOptions, knownBaseURL, originOf, projectInWords } from '../../playwright/run/options';
import { carryPlan } from '../../playwright/run/plan';
import { type Regrading, regrade } from '../../playwright/run/regrade';
import { givenSecrets } from '../../playwright/run/secrets';
import { loadFile } from '../../spec/load';
import { Secrets } from '../../text/secrets';
import { evidenceIn } from '../judge/kept';
import type { PlannedTest } from '../planning';

/** Adds to `spent` what judges cost. @returns why the trial can't be regraded; undefined if it was, or if its test graded it itself */
export async function regradeResult(
  kept: EarlierResult,
  planned: PlannedTest,
  configFolder: string,
  spent: { usd: number },
): Promise<string | undefined> {
  const { plan } = planned;
  carryPlan(kept, plan);
  if (plan.titlePath) return undefined;
  const evidence = evidenceIn(kept);
  if (!evidence) return "its record can't be read";
  const grading = gradingOf(planned, configFolder);
  if (!planned.options.known && grading.loaded.spec.judge !== undefined)
    return 'a fixture sets its judge, and fixtures do not run here';
  const { maxRunCostUsd: cap } = givenOptions(planned.options);
  if (cap !== undefined) grading.leftOfRunUsd = Math.max(0, cap - spent.usd);
  const regraded = await regrade(evidence, grading);
  if ('unknown' in regraded) return regraded.unknown;
  const { record, error, transcript } = regraded;
  spent.usd += Math.max(0, (record.costUsd ?? 0) - (evidence.record.costUsd ?? 0));
  // The first error said why the trial did not pass. Another one is of hooks or fixtures, which don't run here.
  const [, other] = kept.errors;
  if (!error && other)
    return 'its assertions hold now, but its test had another error, and regrade runs no hooks and fixtures';
  for (const each of kept.attachments) {
    if (each.name === RECORD_ATTACHMENT) each.body = Buffer.from(JSON.stringify(record));
    if (each.name === 'transcript') each.body = Buffer.from(transcript);
  }
  kept.status = error ? 'failed' : 'passed';
  kept.errors = error ? [{ message: `Error: ${error.message}`, stack: error.stack! }] : [];
  return undefined;
}

/** What a kept trial is graded by now. */
export function gradingOf({ test, plan, project, options }: PlannedTest, configFolder: string): Regrading {
  const loaded = loadFile(resolve(configFolder, plan.file));
  const { judge, maxCostUsd, ...rest } = givenOptions(options);
  const baseURL = knownBaseURL(test, project);
  const origin = originOf(rest, baseURL, projectInWords(project.name));
  return {
    loaded,
    policy: plan.policy,
    site: { origin, baseURL },
    judge,
    mask: new Secrets(givenSecrets(rest)).mask,
    maxCostUsd,
  };
}
