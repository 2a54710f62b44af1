// What is found on pages that stand in an agent's way, and on those that do not.
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import { type ExamineOptions, examinePage } from '../../src/browser/examine/examine';
import { locatorOf } from '../../src/browser/locator-expression';

let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
});
afterAll(() => browser.close());
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

const examine = (options: Partial<ExamineOptions> = {}) =>
  examinePage(page, { wanted: [], budgetMs: 20_000, admitted: () => true, ...options });

const found = async (html: string, options: Partial<ExamineOptions> = {}) => {
  await page.setContent(`<!doctype html><html lang="en"><title>x</title><body>${html}`);
  const { found, incomplete } = await examine(options);
  expect(incomplete).toEqual([]);
  // Each locator finds one element.
  for (const { locator } of found) expect(await locatorOf(page, locator).count(), locator).toBe(1);
  return found.map(({ kind, locator, text }) => `${kind} ${locator} ${text}`);
};

const FORM = (rest: string, attributes = '') =>
  `<form ${attributes}><label>Name <input name="n"></label> ${rest}</form>`;
const OVER = 'position:fixed;inset:0;background:#eee';

describe('finds', () => {
  it.each<[string, string, string[], string[]?]>([
    [
      'an icon',
      '<button class="icon-cart"><svg width="20" height="20"></svg></button>',
      [`no_name locator('.icon-cart') button without a name`],
    ],
    [
      'a link that is a picture',
      '<a href="/cart" class="cart"><img src="data:," width="30" height="30" alt=""></a>',
      [`no_name locator('.cart') link without a name`],
    ],
    [
      'a button with a role',
      '<div role="button" tabindex="0" id="go" style="width:20px;height:20px"></div>',
      [`no_name locator('#go') button without a name`],
    ],
    [
      'a field',
      '<p>Last name</p><input name="last">',
      [`no_label locator('input[name="last"]') textbox without a label`],
    ],
    [
      'a list',
      '<p>Country</p><select name="c"><option>A</select>',
      [`no_label locator('select[name="c"]') combobox without a label`],
    ],
    [
      'two of one name',
      '<div><button>Save</button></div><div><button>Save</button></div>',
      [`same_name locator('body > div:nth-child(1) > button:nth-child(1)') 2 controls are called button "Save"`],
    ],
    [
      'a listener',
      `<div class="buy">Buy</div><script>document.querySelector('.buy').addEventListener('click', () => 1)</script>`,
      [`no_role locator('.buy') div.buy "Buy" reacts to clicks and has no role`],
    ],
    [
      'an attribute',
      `<span onclick="1" id="buy">Buy</span>`,
      [`no_role locator('#buy') span "Buy" reacts to clicks and has no role`],
    ],
    [
      'a pointer',
      `<p><span style="cursor:pointer">Buy <b>now</b></span></p>`,
      [`no_role locator('span') span "Buy now" reacts to clicks and has no role`],
    ],
    [
      'a banner',
      `<button>Pay</button><div class="banner" style="${OVER}">Sale</div>`,
      [`covered locator('button') button "Pay" is covered by div.banner "Sale", on which nothing closes it`],
    ],
    [
      'a banner that can be closed',
      `<button>Pay</button><a href="/x">More</a><div class="banner" style="${OVER}">Sale <button>Close</button></div>`,
      [
        `covered locator('body > button:nth-child(1)') button "Pay" and 1 more are covered by div.banner "Sale Close"`,
      ],
    ],
    [
      'a button that lets clicks through',
      `<button style="pointer-events:none">Pay</button>`,
      [`covered locator('button') button "Pay" takes no clicks (pointer-events: none)`],
    ],
    [
      'what lies left of the page',
      `<button style="position:absolute;left:-500px">Pay</button>`,
      [`out_of_reach locator('button') button "Pay" is outside of what scrolls`],
    ],
    [
      'what lies below a fixed part',
      `<div style="position:fixed;inset:0"><button style="position:absolute;top:2000px">Pay</button></div>`,
      [`out_of_reach locator('button') button "Pay" is outside of what scrolls`],
    ],
    [
      'what is hidden, if it is wanted',
      `<button hidden>Pay</button><button hidden>Else</button>`,
      [`out_of_reach locator('body > button:nth-child(1)') button "Pay" is in the page but not shown`],
      ['pay'],
    ],
    [
      'a disabled submit button',
      FORM('<button disabled>Send</button>'),
      [`disabled locator('button') button "Send" is disabled, and nothing near it says why`],
    ],
    [
      'a field that takes nothing, if it is wanted',
      '<label>City <input name="city" readonly></label><label>Land <input readonly></label>',
      [`disabled locator('input[name="city"]') textbox "City" is read-only`],
      ['city'],
    ],
    [
      'a canvas',
      '<canvas width="300" height="100"></canvas>',
      [`picture_only locator('canvas') what a canvas shows is not in the page's text`],
    ],
    [
      'a picture',
      '<img src="data:," width="300" height="100">',
      [`picture_only locator('img') what a picture shows is not in the page's text`],
    ],
    [
      'a modal dialog',
      '<dialog aria-label="News"><p>Hello</p></dialog><script>document.querySelector("dialog").showModal()</script>',
      [`dialog_trap locator('dialog[aria-label="News"]') dialog "News" has no control that closes it`],
    ],
    [
      'a dialog over all',
      `<div role="dialog" aria-label="News" style="${OVER}">Hello</div>`,
      [`dialog_trap locator('div[aria-label="News"]') dialog "News" has no control that closes it`],
    ],
    [
      'what is in a shadow root',
      '<x-cart></x-cart><script>document.querySelector("x-cart").attachShadow({mode:"open"}).innerHTML="<button class=go><svg width=9 height=9></svg></button>"</script>',
      [`no_name locator('x-cart').locator('.go') button without a name`],
    ],
    [
      'what is in a frame',
      `<iframe id="f" srcdoc="<button class=go></button>"></iframe>`,
      [`no_name locator('[id="f"]').contentFrame().locator('.go') button without a name`],
    ],
  ])('%s', async (_, html, expected, wanted = []) => {
    expect(await found(html, { wanted })).toEqual(expected);
  });
});
