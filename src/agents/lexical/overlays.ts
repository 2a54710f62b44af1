// Clears away what lies over the page: consent dialogs, popups, announcements.

import type { Driver } from './driver';
import { isField, labelFit } from './match';
import { fold } from './tokens';
import type { Candidate } from './view';

const REFUSE =
  /^(?:reject|decline|refuse|deny|no,? thank(?:s| you)|no$|not now|maybe later|later|skip|cancel|close|dismiss|hide|x$|×$|✕$|✖$|(?:only )?(?:necessary|essential))/i;
const AGREE = /^(?:ok(?:ay)?$|got it|accept|i? ?agree|allow|continue|understood|yes|done)/i;

function willingness(candidate: Candidate, refused: Candidate | undefined): number {
  if (
    isField(candidate) ||
    candidate.disabled ||
    candidate.covered ||
    !candidate.inView ||
    candidate.layer === 0
  )
    return 0;
  if (refused && candidate.layer === refused.layer) return 0;
  const label = fold(candidate.name || candidate.title);
  if (label.length > 40) return 0;
  if (REFUSE.test(label)) return 1;
  if (AGREE.test(label)) return 0.7;
  return label === '' && labelFit(candidate, 'close') >= 0.5 ? 0.6 : 0;
}

/** The control that most likely closes what lies over `candidate`, without agreeing to anything if that can be helped. */
export function closer(driver: Driver, over?: Candidate): Candidate | undefined {
  const scored = driver.view.candidates
    .filter(candidate => !driver.refused(candidate))
    .map(candidate => ({ candidate, score: willingness(candidate, over) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
  return scored[0]?.candidate;
}

const MAX_LAYERS = 3;

/** Makes a candidate reachable. Returns it as it is now, or undefined where it went away meanwhile. */
export async function clearWay(driver: Driver, candidate: Candidate): Promise<Candidate | undefined> {
  const now = () => driver.view.candidates.find(({ key }) => key === candidate.key);
  let current: Candidate | undefined = candidate;
  for (let layer = 0; current?.covered && layer < MAX_LAYERS; layer++) {
    const control = closer(driver, current);
    if (!control) break;
    const outcome = await driver.click(control);
    current = now();
    if (!outcome.changed) break;
  }
  return current;
}
