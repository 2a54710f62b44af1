// The bare Playwright call for each kind of action, one picture of the page as in a trial's turn, and the tree that a model
// needs to go on.
import { createRequire } from 'node:module';
import { launchOptions } from '../../scripts/browser.mjs';
import { controlsInView } from '../lib/controls.mjs';
import { play } from './client.mjs';

// This repository's Playwright, not the one that the other tools have installed.
const { chromium } = createRequire(new URL('../../package.json', import.meta.url))('@playwright/test');
const browser = await chromium.launch(launchOptions());
let page = await browser.newPage();

/** These look at the page themselves. */
const LOOKS = ['screenshot', 'read_page', 'page_text'];

const inputNamed = name => page.getByRole(name === 'Search' ? 'searchbox' : 'textbox', { name });

const CALLS = {
  click: ({ name }) => page.getByRole('button', { name, exact: true }).click(),
  click_at: ({ x, y }) => page.mouse.click(x, y),
  form_input: ({ name, text }) => inputNamed(name).fill(text),
  type: ({ text }) => page.keyboard.type(text),
  key: ({ key }) => page.keyboard.press(key),
  hover: ({ name }) => page.getByRole('button', { name, exact: true }).hover(),
  scroll: ({ x, y, pixels }) => page.mouse.move(x, y).then(() => page.mouse.wheel(0, pixels)),
  screenshot: () => page.screenshot({ type: 'jpeg', quality: 75, scale: 'css' }),
  read_page: () => page.ariaSnapshot({ mode: 'ai' }),
  page_text: () => page.locator('body').innerText(),
  navigate: ({ url }) => page.goto(url, { waitUntil: 'domcontentloaded' }),
};

await play(
  async answer => {
    if (answer.do === 'open') {
      const next = await browser.newPage();
      await page.close();
      page = next;
      await page.goto(answer.url);
      const controls = await page.evaluate(controlsInView);
      if (!answer.button) return { controls };
      const box = await page.getByRole('button', { name: answer.button, exact: true }).boundingBox();
      const fieldBox = await inputNamed(answer.field).boundingBox();
      return { box, fieldBox, controls };
    }
    if (answer.do === 'leave') return page.goto('about:blank').then(() => null);
    const call = CALLS[answer.do];
    if (!call) throw new Error(`no such action: ${answer.do}`);
    await call(answer);
    // As in a trial's turn. PNG, Playwright's default format, costs more.
    await page.screenshot({ type: 'jpeg', quality: 60, scale: 'css' });
    if (!LOOKS.includes(answer.do)) await page.ariaSnapshot({ mode: 'ai' });
    return null;
  },
  () => browser.close(),
);
