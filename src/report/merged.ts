// Whether the reports that are being merged belong together.
import { type KeptRun, nameOf } from '../playwright/annotations';
import type { SpecRun } from './spec-run';

/** One line for each conflict. The shards of one run have none, however many arrived. */
export function mergeConflicts(kept: readonly KeptRun[], runs: Iterable<SpecRun>): string[] {
  const pairs = kept.flatMap((one, index) => kept.slice(index + 1).map(other => twoRuns(one, other)));
  return [...new Set([...pairs, ...[...runs].flatMap(({ conflicts }) => [...conflicts])])].filter(Boolean);
}

/** Refuses parts of two runs of the same specs. Runs of different projects, or of an agent and of replays, may be merged. */
function twoRuns(one: KeptRun, other: KeptRun): string {
  const key = (entry: KeptRun['plan'][number]) =>
    JSON.stringify([entry.project, nameOf(entry.spec), entry.spec.replayed]);
  const keys = new Set(one.plan.map(key));
  const shared = other.plan.find(entry => keys.has(key(entry)));
  const total = ({ shard }: KeptRun) => shard?.split('/')[1];
  const parts = one.shard !== null && one.shard !== other.shard && total(one) === total(other);
  const sameCi = one.ciRun === other.ciRun || one.ciRun === null || other.ciRun === null;
  if (!shared || (parts && sameCi)) return '';
  const where = shared.project ? ` of project "${shared.project}"` : '';
  return `${blobOf(one)} and ${blobOf(other)} are from different runs, and both have spec "${nameOf(shared.spec)}"${where}`;
}

function blobOf({ startedAt, shard, ciRun }: KeptRun): string {
  const ci = ciRun === null ? '' : `, CI run ${ciRun}`;
  return `${shard === null ? 'the blob' : `the blob of shard ${shard}`} started ${startedAt}${ci}`;
}
