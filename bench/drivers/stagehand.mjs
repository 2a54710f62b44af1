// Stagehand: act() with a model in this process that asks the bench. Each act() is one look at the page, one answer and
// one action. Its runtime is a browser extension, so it needs a full Chromium.
import { localBrowser, Stagehand } from '@browserbasehq/stagehand';
import { ask, playSessions } from './client.mjs';

const browser = await localBrowser.launch({
  headless: true,
  viewport: { width: 1280, height: 720 },
  ...(process.env.BENCH_CHROMIUM ? { executablePath: process.env.BENCH_CHROMIUM } : {}),
  ...(process.getuid?.() === 0 ? { chromiumSandbox: false } : {}),
  args: ['--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let last;
const stagehand = await Stagehand.create({
  browser,
  logging: { level: 'error' },
  model: {
    async generate(params) {
      last = await ask({ observation: { params } });
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
await playSessions(async url => {
  await page.goto(url);
  last = undefined;
  while (!last?.leave)
    await stagehand.act('do what comes next', { page }).catch(error => {
      if (!last?.leave) throw error;
    });
}, process.env.BENCH_SERVER);
