// "The 7th search result": things that repeat, counted over pages of them.

import type { Driver } from './driver';
import { fold } from './tokens';
import type { Candidate } from './view';

const NEXT = /^(?:next(?: page)?|older(?: posts)?|>|›|»|→)$/;

/** The links that repeat most on the page: its list of results. */
export function repeated(candidates: readonly Candidate[]): Candidate[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    if (
      !/^(?:link|clickable|option)$/.test(candidate.role) ||
      candidate.zones.some(zone => /nav|header|footer|tablist/.test(zone))
    )
      continue;
    if (/^(?:\d{1,3}|.)$/u.test(candidate.name) || NEXT.test(fold(candidate.name))) continue;
    const group = groups.get(candidate.signature) ?? [];
    groups.set(candidate.signature, [...group, candidate]);
  }
  const weight = (group: Candidate[]) => group.length + (group.some(({ role }) => role === 'link') ? 0.5 : 0);
  return [...groups.values()].sort((a, b) => weight(b) - weight(a))[0] ?? [];
}

/** The nth result, turning pages as far as needed; -1 is the last on this page. */
export async function nthResult(driver: Driver, ordinal: number): Promise<Candidate | undefined> {
  let group = repeated(driver.view.candidates);
  if (group.length === 0 && (await driver.wait())) group = repeated(driver.view.candidates);
  if (ordinal < 0) return group.at(ordinal);
  let left = ordinal;
  while (left > group.length) {
    const next = driver.view.candidates.find(
      candidate => NEXT.test(fold(candidate.name)) && !candidate.disabled && !driver.refused(candidate),
    );
    if (!next || group.length === 0) return undefined;
    left -= group.length;
    if (!(await driver.click(next)).changed) return undefined;
    group = repeated(driver.view.candidates);
  }
  return group[left - 1];
}
