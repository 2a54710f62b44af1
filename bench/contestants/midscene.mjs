// Midscene for Playwright: aiAct() with its planning loop, on the Playwright that it is installed with.
import { PlaywrightAgent } from '@midscene/web/playwright';
import { chromium } from 'playwright';

const control = process.env.BENCH_CONTROL ?? '';
/** @param {unknown} body */
async function ask(body) {
  const response = await fetch(control, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

const browser = await chromium.launch({
  ...(process.env.BENCH_CHROMIUM ? { executablePath: process.env.BENCH_CHROMIUM } : {}),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
/** @type {any} */
let answer = await ask({ ready: true });
while (answer.do !== 'end') {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(answer.url);
  const agent = new PlaywrightAgent(page, {
    generateReport: false,
    replanningCycleLimit: 100,
    modelConfig: {
      MIDSCENE_MODEL_NAME: 'bench',
      MIDSCENE_MODEL_API_KEY: 'bench',
      MIDSCENE_MODEL_BASE_URL: `${process.env.BENCH_DOOR}/v1`,
      MIDSCENE_MODEL_FAMILY: 'gemini',
      MIDSCENE_MODEL_RETRY_COUNT: '0',
    },
  });
  /** @type {unknown} */
  let error = null;
  await agent.aiAct('Do what comes next.').catch((/** @type {any} */ thrown) => {
    error = String(thrown?.stack ?? thrown);
  });
  // The page tells the site what was done to it when it is left.
  await page.goto('about:blank');
  await page.close();
  answer = await ask({ error });
}
await browser.close();
process.exit(0);
