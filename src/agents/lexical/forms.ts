// Finds the control that sends a form.

import type { Driver } from './driver';
import { CLICKABLE } from './match';
import { fold } from './tokens';
import type { Candidate } from './view';

const SENDS =
  /^(?:submit|send|save|search|go|ok(?:ay)?|done|continue|next|apply|confirm|finish|log ?in|sign ?in|sign ?up|register|subscribe|create|place order|book|update|add|post|reply|find)\b/;

/** Words that ask for that control whatever it is called. */
export const ASKS_TO_SEND =
  /^(?:submit|send|ok(?:ay)?|go|done|save|log ?in|login|sign ?in|search|confirm|continue|apply|finish|enter)$/i;

function rate(candidate: Candidate, field: Candidate | undefined): number {
  if (candidate.disabled || !CLICKABLE.test(candidate.role)) return 0;
  const native = candidate.type === 'submit' || candidate.type === 'image' ? 0.5 : 0;
  const named = SENDS.test(fold(candidate.name || candidate.title)) ? 0.6 : 0;
  const hinted = /\b(?:submit|send|search|save)\b/i.test(candidate.hint)
    ? candidate.name === ''
      ? 0.6
      : 0.2
    : 0;
  const said = Math.max(named, hinted);
  if (native + said < 0.5) return 0;
  if (field === undefined) return native + said;
  if (field.form !== candidate.form) return 0;
  const together = candidate.contexts.findIndex(context => field.contexts.includes(context));
  const place = together < 0 ? -0.6 : -0.06 * together + (candidate.index > field.index ? 0.1 : 0);
  return native + said + place;
}

/** The control that most likely sends the form of `field`, or of the page. */
export function sender(driver: Driver, field: Candidate | undefined): Candidate | undefined {
  const now = field && driver.view.candidates.find(({ key }) => key === field.key);
  const scored = driver.view.candidates
    .filter(candidate => !driver.refused(candidate))
    .map(candidate => ({ candidate, score: rate(candidate, now) }))
    .filter(({ score }) => score >= 0.45)
    .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
  return scored[0]?.candidate;
}
