import type { BrowserContextOptions } from '@playwright/test';
import { describe, expect, it } from 'vitest';
import { AS_IT_WAS } from '../../../src/browser/reading/changes';
import { harness, html } from '../../support/claude-harness';

const cards = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, index) =>
      `<li><a href="/p/${from + index}">Plant ${from + index}</a> <p>Likes the sun, and water on day ${from + index}.</p><button>Add ${from + index}</button></li>`,
  ).join('');

const pages = harness({
  '/form': html(
    `<h1>Delivery</h1><label>Postcode <input id="code"></label>
    <button onclick="out.textContent = 'Within 2 days to ' + code.value">Check</button><button onclick="this.remove()">Close</button>
    <button>Nothing</button><p role="status" id="out">Nothing yet</p><a href="/list">All plants</a>
    <div style="height:3000px"></div><p id="low">Far below</p><button onclick="">Low</button>`,
    'Form',
  ),
  '/list': html(
    `<h1>Plants</h1><button onclick="list.replaceChildren(...[...list.children].reverse())">Turn round</button>
    <button onclick="list.innerHTML = list.innerHTML.replaceAll('Plant', 'Tree')">Rename</button>
    <button onclick="list.firstElementChild.querySelector('p').textContent = 'Sold out'">Sell</button><style>li{float:left;margin:4px 20px}</style><ul id="list">${cards(0, 80)}</ul>`,
    'List',
  ),
});

async function open(path: string, context?: BrowserContextOptions) {
  const opened = await pages.open(path, { context });
  const look = () => opened.driver.observations.look(opened.page);
  const first = await look();
  const click = async (name: string, text = first) => {
    const ref = new RegExp(`"${name}" \\[(ref_\\d+)\\]`).exec(text)![1]!;
    await opened.act('left_click', { target: { type: 'ref', ref } });
    return look();
  };
  return { ...opened, look, click, first };
}

describe('a page that the model has not seen', () => {
  it('is shown with all that it says if that is short', async () => {
    const { first } = await open('/form');
    for (const line of [
      /^The page now:\n\(\d+ px below\)\n/,
      /- heading "Delivery"$/m,
      /- textbox "Postcode" \[ref_\d+\]/,
      /- status: Nothing yet/,
      /- button "Low" \[ref_\d+\]/,
    ])
      expect(first).toMatch(line);
  });

  it('else is what can be acted on in the viewport, with headings and messages', async () => {
    const { first } = await open('/list');
    expect(first).toMatch(/- heading "Plants"/);
    expect(first).toMatch(/- link "Plant 0" \[ref_\d+\]\n- button "Add 0" \[ref_\d+\]/);
    expect(first).not.toContain('Likes the sun');
    expect(first).not.toContain('"Plant 79"');
    expect(first).toMatch(/^The page now, controls only:/);
  });
});

describe('after an action', () => {
  it('shows what changed, and nothing else', async () => {
    const { act, look, ref, click } = await open('/form');
    await act('form_input', { target: await ref(/Postcode/), value: '1012 AB' });
    expect(await look()).toMatch(/^Changed on the page:\n- textbox "Postcode" \[ref_\d+\]: 1012 AB$/);
    expect(await click('Check')).toBe('Changed on the page:\n- status: Within 2 days to 1012 AB');
    expect(await click('Nothing')).toBe(AS_IT_WAS);
    expect(await click('Close')).toBe('Gone: button "Close".');
  });

  it('shows changes outside the viewport as such', async () => {
    const { look, page } = await open('/form');
    await page.evaluate("low.textContent = 'New words'");
    expect(await look()).toBe('Changed outside the viewport:\n- paragraph: New words');
  });

  it('shows what came into view, once', async () => {
    const { page, look } = await open('/list');
    await page.evaluate('scrollTo(0, 1000)');
    const shown = await look();
    expect(shown).toMatch(/^\(1000 px above and \d+ px below\)\nNow in view:\n- (link|button)/);
    expect(shown).not.toContain('Gone');
    await page.evaluate('scrollTo(0, 0)');
    expect(await look()).toMatch(/^\(\d+ px below\)$/);
  });

  it.each([
    ['was opened', 'All plants', '/form'],
    ['was sorted', 'Turn round', '/list'],
    ['is mostly new', 'Rename', '/list'],
  ])('shows the page anew if it %s', async (_, button, path) => {
    const { click } = await open(path);
    expect(await click(button)).toMatch(/^The page now/);
  });

  it('shows a changed text of a page whose texts it had left out', async () => {
    const { click } = await open('/list');
    expect(await click('Sell')).toMatch(/^Changed on the page:\n- paragraph: Sold out$/m);
  });

  it('does not show again what the model has read meanwhile', async () => {
    const { act, look, page } = await open('/form');
    await page.evaluate("out.textContent = 'Read already'");
    await act('read_page', { filter: 'all' });
    expect(await look()).toBe(AS_IT_WAS);
  });

  it('says that a page is too large, once it took too long', async () => {
    const { look, page } = await open('/form', {});
    let reads = 0;
    page.ariaSnapshotJSON = () => {
      reads++;
      return Promise.reject(new Error('page.ariaSnapshotJSON: Timeout 3000ms exceeded.'));
    };
    expect(await look()).toMatch(/too large or too busy.*use find, scroll, or take a screenshot/);
    expect(reads).toBe(1);
  });
});
