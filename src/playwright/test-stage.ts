// A trial shown as a Playwright test: its turns and assertions are steps, its evidence attachments.
import { type TestInfo, test } from '@playwright/test';
import type { Stage } from '../trial/stage';
import { oneLine } from '../trial/text';

export function testStage(testInfo: TestInfo): Stage {
  return {
    step: (title, body, location) =>
      test.step(
        oneLine(title, 300),
        step => body((name, attachment) => step.attach(name, attachment)),
        location ? { location } : {},
      ),
    // Pushed, not attached: `testInfo.attach` would show a step of its own.
    async attach(name, { body, contentType }) {
      testInfo.attachments.push({ name, contentType, body: Buffer.from(body) });
    },
  };
}
