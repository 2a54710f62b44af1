import { expect, test } from 'vitest';
import { perform } from '../../../../src/browser/actions/perform';

const CLOSED = 'locator.click: Target page, context or browser has been closed';
const LATE = 'locator.click: Timeout 500ms exceeded.';
const SENT = 'Call log:\n  - attempting click action\n    - performing click action';
const WAITS = 'Call log:\n  - waiting for element to be visible\n  - performing click action soon';

test.each<[string, isClosed: boolean, counts: boolean]>([
  [`${LATE}\n${SENT}`, false, true],
  [`${LATE}\n${WAITS}`, false, false],
  // As Firefox tells of a click on "Close" in a popup.
  [`${CLOSED}\n${SENT}`, true, true],
  [`${CLOSED}\n${WAITS}`, true, false],
  [CLOSED, true, false],
  [`${CLOSED}\n${SENT}`, false, false],
])(
  'a click that ends with %j, in a tab that is closed: %s, counts: %s',
  async (message, isClosed, counts) => {
    const page = { isClosed: () => isClosed };
    const locator = { click: () => Promise.reject(new Error(message)) };
    const clicked = perform(page as never, { do: 'click', locator: locator as never }, {
      timeoutMs: 1,
    } as never);
    if (counts) await clicked;
    else await expect(clicked).rejects.toThrow(message);
  },
);
