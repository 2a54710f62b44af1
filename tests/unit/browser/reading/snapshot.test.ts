import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import { Refs } from '../../../../src/browser/reading/snapshot';

test('a made-up reference of any length is quoted in few words', async () => {
  const looked = new Refs().locate({} as Page, 'button '.repeat(200));
  await expect(looked).rejects.toThrow(/^There is no button .{20,40}…\. Call read_page or find/);
});
