import { expect, test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';

test('the assistant finds the refund policy', passPolicy({ k: 5, minPasses: 4 }), async ({ page }) => {
  // A real assistant has no seed. This one gets one, so that the example ends alike in each run.
  await page.goto(`/assistant?seed=${test.info().repeatEachIndex + 1}`);
  await page.getByLabel('Your question').fill('Where is the refund policy?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect(page.getByRole('log')).toContainText('30 days');
});
