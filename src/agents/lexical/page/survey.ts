// What is on a page: one pass through the DOM of a frame. Playwright's aria snapshot is not enough here: real pages
// have clickable things without a role and fields without a label, and those are told by what stands around them.

import type { Frame } from '@playwright/test';
import { collect } from './collect';
import { labelTools } from './labels';
import { placeTools } from './place';
import { textTools } from './text';
import type { FrameSurvey } from './types';

/** Where the page keeps ids: elements stay findable between surveys, and nothing of the page's own is touched. */
export const STORE = 'taskproof.lexical';

/** More than a page for people has; a page with more is cut at its end. */
const MAX_ITEMS = 2500;

// The parts are sent as source: functions that run in a page may not refer to one another.
const SURVEY = `(() => {
  const text = (${textTools})();
  const labels = (${labelTools})(text);
  const place = (${placeTools})(text, ${JSON.stringify(STORE)});
  return (${collect})(text, labels, place, ${MAX_ITEMS});
})()`;

/**
 * Surveys one frame.
 *
 * @throws Error where the frame goes away or navigates meanwhile.
 */
export function surveyFrame(frame: Frame): Promise<FrameSurvey> {
  return frame.evaluate<FrameSurvey>(SURVEY);
}
