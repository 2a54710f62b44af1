// What is found on pages that stand in an agent's way, and on those that do not.
import type { Page } from '@playwright/test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locatorOf } from '../../src/browser/actions/locate';
import { worldOf } from '../../src/browser/in-page';
import { type ExamineOptions, examinePage } from '../../src/browser/reading/examine';
import { hang } from '../support/hang';
import { imageInfo } from '../support/messages-api/tokens';
import { browserOfTests } from '../support/shared-browser';
import { siteOfTests, startSite } from '../support/two-sites';
import { usedPages } from '../support/used-pages';

const pages = usedPages(browserOfTests());
let page: Page;
/** Under names of their own, so that frames are of another site. */
const frames = siteOfTests('frames.test', path =>
  path === '/never' ? { never: true } : { body: '<button class=go></button>' },
);

beforeEach(async () => {
  page = await pages.take();
  // What is written into it is of a site that may show frames of this machine.
  const home = `http://localhost:${frames.port}/`;
  if (page.url() !== home) await page.goto(home);
});

const examine = (options: Partial<ExamineOptions> = {}) =>
  examinePage(page, { wanted: [], unkept: [], budgetMs: 20_000, admitted: () => true, ...options });

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

/** The page, what is found on it, and what was wanted. */
const FOUND: Record<string, [html: string, finding: string, wanted?: string[]]> = {
  'an icon': [
    '<button class="icon-cart"><svg width="20" height="20"></svg></button>',
    `no_name locator('.icon-cart') button without a name`,
  ],
  'a link that is a picture': [
    '<a href="/cart" class="cart"><img src="data:," width="30" height="30" alt=""></a>',
    `no_name locator('.cart') link without a name`,
  ],
  'a button with a role': [
    '<div role="button" tabindex="0" id="go" style="width:20px;height:20px"></div>',
    `no_name locator('#go') button without a name`,
  ],
  'a field': [
    '<p>Last name</p><input name="last">',
    `no_label locator('input[name="last"]') textbox without a label`,
  ],
  'a list': [
    '<p>Country</p><select name="c"><option>A</select>',
    `no_label locator('select[name="c"]') combobox without a label`,
  ],
  'two of one name': [
    '<div><button>Save</button></div><div><button>Save</button></div>',
    `same_name locator('body > div:nth-child(1) > button:nth-child(1)') 2 controls are called button "Save"`,
  ],
  'a listener': [
    `<div class="buy">Buy</div><script>document.querySelector('.buy').addEventListener('click', () => 1)</script>`,
    `no_role locator('.buy') div.buy "Buy" reacts to clicks and has no role`,
  ],
  'an attribute': [
    `<span onclick="1" id="buy">Buy</span>`,
    `no_role locator('#buy') span "Buy" reacts to clicks and has no role`,
  ],
  'a pointer': [
    `<p><span style="cursor:pointer">Buy <b>now</b></span></p>`,
    `no_role locator('span') span "Buy now" reacts to clicks and has no role`,
  ],
  'a banner': [
    `<button>Pay</button><div class="banner" style="${OVER}">Sale</div>`,
    `covered locator('button') button "Pay" is covered by div.banner "Sale", which has nothing to close it`,
  ],
  'a banner that can be closed': [
    `<button>Pay</button><a href="/x">More</a><div class="banner" style="${OVER}">Sale <button>Close</button></div>`,
    `covered locator('body > button:nth-child(1)') button "Pay" and 1 more are covered by div.banner "Sale Close"`,
  ],
  'a button that lets clicks through': [
    `<button style="pointer-events:none">Pay</button>`,
    `covered locator('button') button "Pay" takes no clicks (pointer-events: none)`,
  ],
  'what lies left of the page': [
    `<button style="position:absolute;left:-500px">Pay</button>`,
    `out_of_reach locator('button') button "Pay" is outside the area that scrolls`,
  ],
  'what lies below a fixed part': [
    `<div style="position:fixed;inset:0"><button style="position:absolute;top:2000px">Pay</button></div>`,
    `out_of_reach locator('button') button "Pay" is outside the area that scrolls`,
  ],
  'what is hidden, if it is wanted': [
    `<button hidden>Pay</button><button hidden>Else</button>`,
    `out_of_reach locator('body > button:nth-child(1)') button "Pay" is in the page but not shown`,
    ['pay'],
  ],
  'a disabled submit button': [
    FORM('<button disabled>Send</button>'),
    `disabled locator('button') button "Send" is disabled, and nothing near it says why`,
  ],
  'a field that takes nothing, if it is wanted': [
    '<label>City <input name="city" readonly></label><label>Land <input readonly></label>',
    `disabled locator('input[name="city"]') textbox "City" is read-only`,
    ['city'],
  ],
  'a canvas': [
    '<canvas width="300" height="100"></canvas>',
    `picture_only locator('canvas') what a canvas shows is not in the page's text`,
  ],
  'a picture': [
    '<img src="data:," width="300" height="100">',
    `picture_only locator('img') what a picture shows is not in the page's text`,
  ],
  'a modal dialog': [
    '<dialog aria-label="News"><p>Hello</p></dialog><script>document.querySelector("dialog").showModal()</script>',
    `dialog_trap locator('dialog[aria-label="News"]') dialog "News" has no control that closes it`,
  ],
  'a dialog over all': [
    `<div role="dialog" aria-label="News" style="${OVER}">Hello</div>`,
    `dialog_trap locator('div[aria-label="News"]') dialog "News" has no control that closes it`,
  ],
  'what is in a shadow root': [
    '<x-cart></x-cart><script>document.querySelector("x-cart").attachShadow({mode:"open"}).innerHTML="<button class=go><svg width=9 height=9></svg></button>"</script>',
    `no_name locator('x-cart').locator('.go') button without a name`,
  ],
  'what is in a frame': [
    `<iframe id="f" srcdoc="<button class=go></button>"></iframe>`,
    `no_name locator('[id="f"]').contentFrame().locator('.go') button without a name`,
  ],
};

describe('finds', () => {
  it.each(Object.entries(FOUND))('%s', async (_, [html, finding, wanted = []]) => {
    expect(await found(html, { wanted })).toEqual([finding]);
  });
});

const ROWS = ['Ann', 'Bob'].map(name => `<tr><td>${name}<td><button>Edit</button>`).join('');
/** Pages that stand in nobody's way. */
const FINE: Record<string, string> = {
  'a component with a button inside': `<x-go style="cursor:pointer">Go</x-go><script>
    document.querySelector('x-go').attachShadow({ mode: 'open' }).innerHTML = '<button><slot></slot></button>'</script>`,
  'named controls':
    '<button><svg aria-label="Cart"></svg></button> <a href="/">Home</a> <a href="/">Home</a>',
  'what a reader alone meets':
    '<a href="#main" style="position:absolute;left:-999px">Skip to the content</a>',
  'what reacts to clicks under a dialog': `<span onclick="1">Buy</span><dialog style="${OVER};max-width:none;max-height:none;width:100%;height:100%"><button>Close</button></dialog><script>document.querySelector('dialog').show()</script>`,
  'labelled fields':
    '<label for="a">A</label><input id="a"><input placeholder="B"><input type="hidden" name="c">',
  'what a dialog shows once it is scrolled':
    '<dialog style="height:200px;overflow:auto"><p style="height:3000px">Terms</p><form method="dialog"><button>Accept</button></form></dialog><script>document.querySelector("dialog").showModal(); document.querySelector("dialog").scrollTop = 0</script>',
  'what a pane has scrolled away':
    '<main style="height:300px;overflow:auto"><button>First</button><p style="height:3000px">Long</p></main><script>document.querySelector("main").scrollTop = 2000</script>',
  'one name in rows of a table': `<table>${ROWS}</table>`,
  'one name in forms of their own': FORM('<button>Save</button>') + FORM('<button>Save</button>'),
  'a styled checkbox':
    '<label style="position:relative"><input type="checkbox" style="position:absolute;opacity:0"><span style="position:absolute;inset:0">On</span></label>',
  'a label that floats over its field':
    '<div style="position:relative"><input id="f"><label for="f" style="position:absolute;inset:0">Name</label></div>',
  'an ornament over a button':
    '<button style="position:relative;width:200px;height:60px">Pay</button><i style="position:absolute;left:95px;top:25px;width:20px;height:20px;background:red"></i>',
  'what sticks over what can be scrolled':
    '<div style="position:fixed;top:0;left:0;right:0;height:60px;background:#eee">Shop</div><div style="height:1000px"></div><button>Pay</button><div style="height:3000px"></div><script>scrollTo(0, 990)</script>',
  'what lies below': '<div style="height:3000px"></div><button>Pay</button>',
  'a disabled button that says why': FORM(
    '<button disabled aria-describedby="w">Send</button><p id="w">Sold out</p>',
  ),
  'a disabled button of a form that is not filled in': FORM(
    '<input required aria-label="x"><button disabled>Send</button>',
  ),
  'a disabled button that no form is sent by': '<button disabled>Previous</button>',
  'pictures with and without meaning':
    '<img src="data:," alt="" width="300" height="200"><img src="data:," alt="Map" width="300" height="200">',
  'a canvas that says what it shows':
    '<canvas width="300" height="100" aria-label="Sales by month"></canvas>',
  'a listener for all':
    '<ul class="list"><li><button>A</button></ul><script>document.querySelector(".list").onclick = () => 1; document.onclick = () => 1; document.body.onclick = () => 1</script>',
  'the pointer of a label': '<label style="cursor:pointer"><input type="radio" name="r"> <b>Red</b></label>',
  'a dialog with a way out':
    '<div role="dialog" aria-modal="true" aria-label="News" style="position:fixed;inset:0">Hi <button>Close</button></div>',
  'a dialog that is closed': '<dialog aria-label="News">Hi</dialog><div role="dialog" hidden>Hi</div>',
  'a field beside the page, by which a script measures texts':
    '<textarea tabindex="-1" style="position:absolute;top:-999px;left:0;width:193px;height:4px"></textarea>',
  'what is hidden': '<button hidden></button><div style="visibility:hidden"><button></button></div>',
  'what is empty': '',
};

describe('leaves alone', () => {
  it.each(Object.entries(FINE))('%s', async (_, html) => {
    expect(await found(html)).toEqual([]);
  });

  it('frames of hosts that are not admitted', async () => {
    const html = `<iframe src="${frames.origin}/"></iframe>`;
    expect(await found(html, { admitted: url => !url.includes('frames.test') })).toEqual([]);
    expect(await found(html)).toEqual([
      `no_name locator('iframe').contentFrame().locator('.go') button without a name`,
    ]);
  });
});

it('says so if a page has more frames than it looks at', async () => {
  await page.setContent('<iframe srcdoc="<p>Hi"></iframe>'.repeat(7));
  const { incomplete } = await examine();
  expect(incomplete).toEqual(['only 5 of 7 frames were checked']);
});

const HOSTILE = `<script>
  for (const name of ['querySelectorAll', 'querySelector', 'elementFromPoint']) Document.prototype[name] = () => [];
  for (const name of ['matches', 'closest', 'getAttribute', 'getClientRects', 'checkVisibility'])
    Element.prototype[name] = () => { throw new Error('not here') };
  Array.prototype.map = Array.prototype.filter = () => [];
  JSON.stringify = () => '{}';
  window.axe = { run: () => Promise.resolve({ violations: [] }), configure() {} };
  window.Map = window.Set = window.performance = undefined;
  window.taskproofLook = { get sightings() { return []; } };
</script>`;

describe('is not fooled', () => {
  afterEach(() => page.close());
  it('by what a page made of its prototypes, and leaves nothing behind', async () => {
    expect(await found(`<button class="go"></button>${HOSTILE}`)).toEqual([
      `no_name locator('.go') button without a name`,
    ]);
    const session = await page.context().newCDPSession(page);
    const expression = 'typeof axe.commons + typeof seen + typeof taskproofLook.found';
    const { result } = await session.send('Runtime.evaluate', { expression });
    expect(result.value).toBe('undefinedundefinedundefined');
  });

  it.each([
    [
      'none of the page',
      "default-src 'none'",
      ['textbox without a label', 'div "Buy" reacts to clicks and has no role'],
      '',
    ],
    [
      'none at all',
      'sandbox allow-same-origin',
      ['div "Buy" reacts to clicks and has no role'],
      'there was no time for names and labels',
    ],
  ])('by a policy that admits %s', async (_, policy, expected, incomplete) => {
    const site = await startSite('localhost', () => ({
      headers: { 'content-security-policy': policy },
      body: '<!doctype html><input><div onclick="1">Buy</div>',
    }));
    await page.goto(site.origin);
    const examined = await examine({ budgetMs: 5_000 });
    expect(examined.found.map(({ text }) => text).sort()).toEqual(expected.sort());
    expect(examined.incomplete.join()).toBe(incomplete);
    await site.close();
  });
});

describe('keeps to its time', () => {
  afterEach(() => page.close());
  const HUNG = `<button></button><script>${hang('/never', 50)}</script>`;
  const GROWING =
    '<script>setInterval(() => { for (let i = 0; i < 500; i++) document.body.append(document.createElement("button")); })</script>';
  it.each([
    ['hangs', HUNG, /did not answer/],
    ['grows', GROWING, /./],
  ])('on a page that %s', async (_, html, incomplete) => {
    await page.setContent(`<!doctype html><body>${html}`);
    await page.waitForTimeout(200).catch(() => undefined);
    const begun = performance.now();
    const examined = await examine({ budgetMs: 1_000 });
    // A bound on hangs: the clock of a busy machine.
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(examined.incomplete.join()).toMatch(incomplete);
  });

  it('on a page that is gone', async () => {
    await page.setContent('<button></button>');
    await page.close();
    expect(await examine({ budgetMs: 1_000 })).toMatchObject({
      found: [],
      incomplete: ['the page did not answer'],
    });
  });

  describe('on more controls than it looks at', () => {
    beforeEach(async () => {
      const buttons = Array.from({ length: 4_000 }, (_, i) => `<button>${i % 7 ? i : ''}</button>`).join('');
      await page.setContent(
        `<!doctype html><body><div class="over" style="position:fixed;inset:0">x</div>${buttons}`,
      );
    });

    it('and still finds what matters, if there is time', async () => {
      // As much as any machine needs: what is left out is left out by its number.
      const { found, incomplete, more } = await examine({ budgetMs: 45_000, wanted: ['15'] });
      expect(incomplete).toEqual([
        'controls after the first 3000 were not checked',
        expect.stringMatching(/^the names of 2\d{3} of \d{4} controls were checked$/),
      ]);
      expect(found.map(({ text }) => text)).toContainEqual(
        expect.stringMatching(/^button "15".* covered by div.over/),
      );
      expect(found.length).toBeLessThanOrEqual(200);
      expect(more).toBeGreaterThanOrEqual(0);
    });

    it('and at what matters first, if time runs out', async () => {
      // A clock that counts how often it is asked, so that time is up at the same control on any machine.
      const world = await worldOf(page, page.mainFrame());
      await world.run('{ let asked = 0; performance.now = () => 10 * asked++; }');
      const { found, incomplete } = await examine({ budgetMs: 45_000, wanted: ['15'] });
      expect(incomplete).toContain('there was no time to check the whole page');
      expect(incomplete.join()).toMatch(/controls after the first [12]\d{3} were not checked/);
      const covered = found.filter(({ kind }) => kind === 'covered');
      expect(covered.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^button "15" and 4 more are covered by div.over/),
      ]);
    });
  });
});

/** Whether axe-core, which takes longer to load than all else, is needed for the names on a page: then `true`. */
const NEEDS_AXE: Record<string, [html: string, needed: boolean]> = {
  'texts, labels and aria-labels': [
    '<a href="/">Home</a><button><svg aria-hidden="true" width="9" height="9"></svg> Pay</button><label>City <input></label><input aria-label="Land"><details><summary>More</summary></details>',
    false,
  ],
  'a nameless link outside of the page': [
    '<button>Pay</button><a href="#main" style="position:absolute;left:-999px;width:9px;height:9px"></a>',
    false,
  ],
  'a text that readers skip': ['<button><span aria-hidden="true">x</span></button>', true],
  'a text that is not shown': ['<button style="padding:9px"><span hidden>Pay</span></button>', true],
  'a label that is not shown': ['<label for="a" hidden>City</label><input id="a">', true],
  'an empty label': ['<label><input></label>', true],
  'a text in a field of its own': ['<div role="combobox" tabindex="0">Choose</div>', true],
  'a link without a text': ['<a href="/"><img src="data:," width="9" height="9"></a>', true],
};
it.each(Object.entries(NEEDS_AXE))(
  'loads axe-core only if it may find something: %s',
  async (_, [html, needed]) => {
    const sightings = await found(html);
    const world = await worldOf(page, page.mainFrame());
    expect(await world.run('typeof axe === "object"')).toBe(needed);
    expect(sightings.length > 0).toBe(needed);
  },
);

it('cuts what it found out of the picture', async () => {
  await page.setContent(
    '<body style="margin:0"><div style="height:2000px"></div><a href="/x" class="go" style="display:block;width:100px;height:50px;background:#f00"></a>',
  );
  const { found } = await examine();
  const image = await found[0]!.cutOut();
  expect(imageInfo(image!)).toMatchObject({ width: 140, height: 90 });
});
