import { type Browser, chromium } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { checkAssertion } from '../../src/grading/assertions';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
});
afterAll(() => browser.close());

/** A page that goes on to itself as fast as it can, and comes to rest after a number of loads. */
const RESTLESS = `<!doctype html><body><p>Busy</p><script>
  const loads = Number(sessionStorage.loads ?? 0) + 1;
  sessionStorage.loads = loads;
  if (loads < 60) setTimeout(() => location.reload(), 5);
  else document.body.innerHTML = '<h1 id="done">At rest</h1>';
</script>`;

test.each([
  { selector: '#done', state: 'visible' },
  { selector: '#done', state: 'text', text: 'At rest' },
  { selector: 'p', state: 'absent' },
] as const)('$state waits for a page that navigates while it is looked at', async assertion => {
  const page = await browser.newPage();
  await page.route('http://restless.test/', route =>
    route.fulfill({ body: RESTLESS, contentType: 'text/html' }),
  );
  await page.goto('http://restless.test/');
  await expect(
    checkAssertion({ type: 'dom', ...assertion }, { page, network: [], timeoutMs: 30_000 }),
  ).resolves.toBeUndefined();
  await page.close();
});
