// Turns a kept result into that of the same trial, graded anew.
import { dirname, resolve } from 'node:path';
import { RECORD_ATTACHMENT, readRecord } from '../data/record';
import type { EarlierResult } from '../playwright/inside/results';
import { originOf, type TaskproofOptions } from '../playwright/run/options';
import { carryPlan, RUBRIC } from '../playwright/run/plan';
import { regrade } from '../playwright/run/regrade';
import { loadFile } from '../spec/load';
import type { PlannedTest } from './planning';

/** That of an ordinary test stays: its code has graded it. @returns what the evidence can't tell; then the trial has no grade */
export async function regradeResult(
  kept: EarlierResult,
  { test, plan, project, options }: PlannedTest,
): Promise<string | undefined> {
  carryPlan(kept, plan);
  if (plan.titlePath) return undefined;
  const attachment = kept.attachments.findLast(({ name }) => name === RECORD_ATTACHMENT);
  const record = attachment && readRecord(attachment.body!.toString('utf8'));
  if (!record) return 'its record can not be read';
  const loaded = loadFile(resolve(dirname(test.location.file), plan.file));
  if (!options.known && loaded.spec.judge !== undefined) return 'a fixture sets its judge';
  const { judge, ...rest } = (options.value ?? {}) as TaskproofOptions;
  const origin = originOf(rest, project.use.baseURL, `project "${project.name}"`);
  const pictures = new Map(kept.attachments.map(({ name, body }) => [name, body!]));
  const rubric = kept.annotations.find(({ type }) => type === RUBRIC)?.description;
  const { policy } = plan;
  const regraded = await regrade({ record, rubric, pictures }, { loaded, policy, origin, judge });
  if ('unknown' in regraded) return regraded.unknown;
  const { error, transcript } = regraded;
  attachment.body = Buffer.from(JSON.stringify(regraded.record));
  for (const each of kept.attachments) if (each.name === 'transcript') each.body = Buffer.from(transcript);
  kept.status = error ? 'failed' : 'passed';
  kept.errors = error ? [{ message: `Error: ${error.message}`, stack: error.stack! }] : [];
  return undefined;
}
