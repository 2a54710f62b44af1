// `DEBUG=taskproof*` writes a line on standard error for each decision in a trial. Not by the package `debug`: lines are masked.
import { oneLine } from './line';
import type { Mask } from './mask';

/** CONTRIBUTING.md says what each of them tells. */
const TOPICS = ['guard', 'tabs', 'settle', 'tool', 'retry', 'skip'] as const;

const MAX_LINE = 500;
const wanted = new Set(TOPICS.filter(topic => isNamed(`taskproof:${topic}`, process.env.DEBUG ?? '')));
let mask: Mask = text => text;
let lastMs = performance.now();

/** Masks the lines from now on. A process plays one trial at a time. */
export function maskDebugLines(by: Mask): void {
  mask = by;
}

/** @param said is only called if the line is wanted */
export function debug(topic: (typeof TOPICS)[number], said: () => string): void {
  if (!wanted.has(topic)) return;
  const nowMs = performance.now();
  const line = oneLine(mask(said()), MAX_LINE);
  process.stderr.write(`  taskproof:${topic} ${line} +${Math.round(nowMs - lastMs)}ms\n`);
  lastMs = nowMs;
}

/** Names are separated by commas or spaces. One that ends with `*` stands for all that begin so. */
function isNamed(name: string, names: string): boolean {
  return names
    .split(/[\s,]+/)
    .some(each => each === name || (each.endsWith('*') && name.startsWith(each.slice(0, -1))));
}
