// Stagehand: act() with a model in this process that asks the bench. Each act() is one look at the page, one answer and
// one action. Its runtime is a browser extension, so it needs a full Chromium.
import { localBrowser, Stagehand } from '@browserbasehq/stagehand';

const door = process.env.BENCH_DOOR ?? '';
/** @param {unknown} observation */
async function ask(observation) {
  const response = await fetch(door, { method: 'POST', body: JSON.stringify({ observation }) });
  return response.json();
}

const browser = await localBrowser.launch({
  headless: true,
  viewport: { width: 1280, height: 720 },
  ...(process.env.BENCH_CHROMIUM ? { executablePath: process.env.BENCH_CHROMIUM } : {}),
  ...(process.getuid?.() === 0 ? { chromiumSandbox: false } : {}),
  args: ['--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
/** @type {any} */
let last;
const stagehand = await Stagehand.create({
  browser,
  logging: { level: 'error' },
  model: {
    /** @param {any} params */
    async generate(params) {
      last = await ask({ params });
      const structuredContent = last.structured ?? { action: null, twoStep: false };
      return {
        role: 'assistant',
        content: { type: 'text', text: JSON.stringify(structuredContent) },
        outputFormat: 'json_schema',
        structuredContent,
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      };
    },
  },
});
const [page] = await browser.context.pages();
if (!page) throw new Error('Stagehand opened no page');
let answer = await ask({ ready: true });
for (;;) {
  if (answer.do === 'end') break;
  await page.goto(answer.url);
  last = undefined;
  /** @type {unknown} */
  let error = null;
  while (!last?.leave) {
    try {
      await stagehand.act('do what comes next', { page });
      error = null;
    } catch (thrown) {
      if (last?.leave) break;
      error = String(/** @type {any} */ (thrown)?.stack ?? thrown);
      break;
    }
  }
  answer = await ask({ error });
}
await stagehand.close();
await browser.close();
process.exit(0);
