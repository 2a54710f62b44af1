// Midscene for Playwright: aiAct() with its planning loop, on the Playwright that is installed with it.
import { PlaywrightAgent } from '@midscene/web/playwright';
import { chromium } from 'playwright';
import { playSessions } from './client.mjs';

const browser = await chromium.launch({
  ...(process.env.BENCH_CHROMIUM ? { executablePath: process.env.BENCH_CHROMIUM } : {}),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
await playSessions(async url => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(url);
  const agent = new PlaywrightAgent(page, {
    generateReport: false,
    replanningCycleLimit: 100,
    modelConfig: {
      MIDSCENE_MODEL_NAME: 'bench',
      MIDSCENE_MODEL_API_KEY: 'bench',
      MIDSCENE_MODEL_BASE_URL: `${process.env.BENCH_SERVER}/v1`,
      MIDSCENE_MODEL_FAMILY: 'gemini',
      MIDSCENE_MODEL_RETRY_COUNT: '0',
    },
  });
  try {
    await agent.aiAct('Do what comes next.');
  } finally {
    // When the page is left, it reports to the site what was done to it.
    await page.goto('about:blank');
    await page.close();
  }
});
