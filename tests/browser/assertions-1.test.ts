// What `playwright/1` adds to the assertions: for each a page where it holds, one where it does not, and one where a careless check would.
import type { BrowserContext, Page } from '@playwright/test';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordNetwork } from '../../src/browser/session/network';
import type { OpenSession } from '../../src/browser/session/session';
import { checkAssertion } from '../../src/grading/assertions';
import type { DomAssertion, NetworkAssertion } from '../../src/spec';
import { Secrets } from '../../src/text/secrets';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { type Answer, siteOfTests } from '../support/two-sites';

const browser = browserOfTests();
let context: BrowserContext;
let page: Page;

const site = siteOfTests('localhost', path => ({
  status: path.endsWith('?refused') ? 422 : 200,
  body: path === '/frames' ? '<frameset cols=100%><frame src=/></frameset>' : '<title>Shop</title><p>Shop',
  ...(path === '/chart' && {
    headers: { 'content-type': 'image/svg+xml' },
    body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  }),
  ...(path.endsWith('?held') && { never: true }),
}));
beforeAll(async () => {
  context = await browser().newContext();
  page = await context.newPage();
});

const look = (state: Parameters<typeof checkAssertion>[1], assertion: Parameters<typeof checkAssertion>[0]) =>
  checkAssertion(assertion, { once: true, timeoutMs: 20_000, ...state }).then(
    () => null,
    error => (error as Error).message,
  );

test('what a page leaves out until someone scrolls there has its own style after it was read', async () => {
  const styles = ['', 'content-visibility: auto;', 'content-visibility: visible !important;', 'color: red;'];
  const rows = styles.map(style => `<p class=row ${style && `style="${style}"`}>Row</p>`).join('');
  await page.setContent(`<style>.row { content-visibility: auto }</style>${rows}`);
  const says: DomAssertion = { type: 'dom', state: 'text', selector: 'body', text: 'Row' };
  expect(await look({ page, network: [], specVersion: 'playwright/1' }, says)).toBeNull();
  const attributes = await page
    .locator('.row')
    .evaluateAll(all => all.map(each => each.getAttribute('style')));
  expect(attributes).toEqual([null, ...styles.slice(1)]);
});

test('what opens is shown at the next look', async () => {
  await page.setContent('<div id=box style="height: 0; overflow: hidden">Order sent</div><p>Shop</p>');
  const says: DomAssertion = { type: 'dom', state: 'text', selector: 'body', text: 'Order sent' };
  const seen = () => look({ page, network: [], specVersion: 'playwright/1' }, says);
  expect(await seen()).toContain('only in hidden text; it shows "Shop"');
  await page.evaluate("box.style.height = 'auto'");
  expect(await seen()).toBeNull();
});

test.each([
  "'",
  '"',
  '>>',
  ' >> nth=5',
  '"a >> b',
  'Cart >> "Fern"',
  "it's `here` > there",
  'a \\\\ b / c [d] (e)',
])('a text of any characters: %s', async text => {
  await page.setContent('<p></p>');
  await page.locator('p').evaluate((node, text) => node.append(text), text);
  const state = { page, network: [], specVersion: 'playwright/1' } as const;
  const says = (text: string): DomAssertion => ({ type: 'dom', state: 'text', selector: 'p', text });
  expect(await look(state, says(text))).toBeNull();
  expect(await look(state, says(`${text}!`))).toContain('does not contain');
});

/** Null: it holds. */
type Expected = RegExp | null;
function compare(reason: string | null, expected: Expected): void {
  if (expected) expect(reason).toMatch(expected);
  else expect(reason).toBeNull();
}

describe('dom', () => {
  const LIST = '<ul><li>A</li><li>B</li><li hidden>C</li></ul>';
  const FORM = `<p>Form</p><input id=name value=Old><textarea>two
lines</textarea><select><option value=de selected>Germany</select><input type=hidden id=token value=t1>
    <script>document.getElementById('name').value = 'Ada'</script>`;
  const CHOICES = `<p>Form</p><input type=radio name=ship value=standard checked><input type=RADIO name=ship value=express>
    <input type=checkbox id=terms><input type=checkbox id=news checked>`;
  const LABELS = `<label id=red><input type=radio name=c value=red><b>Red</b></label><label id=blue><input type=radio name=c value=blue checked>Blue</label>
    <label id=name>Name <input value=Ada></label>`;
  const LAZY =
    '<p style="height: 5000px">Shop</p><section style="content-visibility: auto"><p>Order sent</p></section>';
  const ROWS = Array.from(
    { length: 100 },
    (_, index) =>
      `<div class=row style="content-visibility: auto; height: 100px">${index === 90 ? 'Error' : 'OK'}</div>`,
  ).join('');
  const SHADOW = `<x-alert></x-alert><script>
    document.querySelector('x-alert').attachShadow({ mode: 'open' }).innerHTML = '<p>Payment failed</p><p hidden>A secret</p>'</script>`;
  const option = (label: string, chosen: string) =>
    `<option${label === chosen ? ' selected' : ''}>${label}</option>`;
  const list = (chosen: string) =>
    `<select>${['New', 'Paid', 'Sent'].map(label => option(label, chosen)).join('')}</select>`;
  const SLOTTED = `<x-alert><b>card <i hidden>unseen</i>declined</b><span slot=none>unseen</span></x-alert><script>
    document.querySelector('x-alert').attachShadow({ mode: 'open' }).innerHTML = '<style>p { margin: 0 }</style>' +
      '<p>Error: <slot>fallback</slot>. <button>Retry</button></p><details>closed <slot name=x>closed</slot></details>' +
      '<p style="text-transform: uppercase">Done</p>${list('New')}<p style="visibility: hidden">unseen</p>'</script>`;
  const closed = (style: string, inner = '') =>
    `<h1>Question</h1><section style="${style}; overflow: hidden"><p style="${inner}">The <b>Answer</b></section><input type=submit value=Send> ${list('New')}`;
  const SHOWN_THERE = /only in hidden text; it shows "Question Send New"$/;
  const CHART =
    '<svg><title>Chart of sales</title><text y=20>Sales <tspan>9</tspan><tspan display=none>Loss</tspan></text></svg>';
  const BARS =
    '<svg><g><title>Jan: 120 orders</title><text y=20>12</text><text y=40> 34</text><text visibility=hidden>120 orders</text></g></svg>Shop';
  const MATH = '<math><semantics><mi>E</mi><annotation encoding=tex>E=mc</annotation></semantics></math>';
  const BUTTONS = '<form><p>Form</p><input type=submit value=Send><input value=Typed></form>';
  const ORDERS = ['Paid', 'New', 'Sent', 'Paid']
    .map((chosen, index) => `<p class=order>Order ${index} ${list(chosen)}</p>`)
    .join('');
  const inShadow = (html: string) => `<x-list></x-list><script>
    document.querySelector('x-list').attachShadow({ mode: 'open' }).innerHTML = '${html}'</script>`;
  const slottedIn = (html: string) => `<h1>Shop</h1><x-box>The <b>Answer</b></x-box><script>
    document.querySelector('x-box').attachShadow({ mode: 'open' }).innerHTML = '${html}'</script>`;
  const TINY = '<p style="font-size: 0">Answer <b style="font-size: 1rem">Shop</b></p>';
  const HIDDEN = '<p>Shop</p><div hidden>Order confirmed</div>';
  const cases: [html: string, assertion: Partial<DomAssertion> & { selector: string }, Expected][] = [
    [LIST, { selector: 'li', count: 2 }, null],
    [LIST, { selector: 'li', count: 3 }, /^"li" is visible in 2, not 3$/],
    [LIST, { selector: 'li', state: 'attached', count: 3 }, null],
    [LIST, { selector: 'li', state: 'attached', count: 2 }, /^"li" matches 3, not 2$/],
    [LIST, { selector: 'li', count: { max: 1 } }, /is visible in 2, not at most 1$/],
    [LIST, { selector: 'li', count: { min: 1, max: 2 } }, null],
    [LIST, { selector: 'b', count: { min: 1 } }, /^nothing matches "b"$/],
    [LIST, { selector: 'b', count: 0 }, null],
    ['', { selector: 'b', count: 0 }, /says nothing: the page rendered no content/],
    // Two bodies, which a script can make.
    [
      '<p>Shop</p><script>document.documentElement.append(document.createElement("body"))</script>',
      { selector: 'b', count: 0 },
      null,
    ],
    [FORM, { selector: '#name', value: 'Ada' }, null],
    // The attribute is what the field began with.
    [FORM, { selector: '#name', value: 'Old' }, /^"#name" has the value "Ada", not "Old"$/],
    [FORM, { selector: '#name', value: 'ada' }, /"Ada", not "ada"/],
    [FORM, { selector: 'textarea', value: 'two\nlines' }, null],
    [FORM, { selector: 'select', value: 'Germany' }, /has the value "de"/],
    [FORM, { selector: '#token', value: 't1' }, /matches no visible field/],
    [FORM, { selector: '#token', state: 'attached', value: 't1' }, null],
    [FORM, { selector: 'p', value: 'Form' }, /^"p" matches no visible field$/],
    [FORM, { selector: 'input, textarea', value: 'Ada', count: 2 }, /has the value "Ada" in 1, not 2/],
    [
      CHOICES,
      { selector: '[name=ship]', value: 'express' },
      /^"\[name=ship\]" has the value "standard", not/,
    ],
    [CHOICES, { selector: '#terms', value: 'on' }, /^"#terms" is not checked$/],
    [CHOICES, { selector: '#news', value: 'on' }, null],
    [LABELS, { selector: '#red', value: 'red' }, /^"#red" is not checked$/],
    [LABELS, { selector: '#red b', state: 'attached', value: 'red' }, /is not checked/],
    [LABELS, { selector: '#blue', value: 'blue', count: 1 }, null],
    [LABELS, { selector: '#name', value: 'Ada' }, null],
    // Text far below, which the browser renders once it is scrolled to.
    [LAZY, { selector: 'body', text: 'Order sent' }, null],
    [LAZY, { selector: 'p', text: 'Order sent', count: 0 }, /contains "Order sent" in 1, not 0$/],
    [ROWS, { selector: '.row', text: 'OK', count: 99 }, null],
    [ROWS, { selector: '.none', state: 'absent' }, null],
    [SHADOW, { selector: 'body', text: 'Payment failed' }, null],
    [SHADOW, { selector: 'x-alert', text: 'A secret' }, /only in hidden text/],
    [SHADOW, { selector: '.none', state: 'absent' }, null],
    [SLOTTED, { selector: 'x-alert', text: 'Error: card declined', count: 0 }, /in 1, not 0$/],
    [SLOTTED, { selector: 'body', text: 'Error: card declined. Retry' }, null],
    [SLOTTED, { selector: 'b, i', text: 'card', count: 1 }, null],
    [
      SLOTTED,
      { selector: 'x-alert', text: 'unseen' },
      /^"x-alert" contains "unseen" only in hidden text; it shows "Error: card declined. Retry DONE New"$/,
    ],
    [SLOTTED, { selector: 'x-alert p', text: 'Error: card declined. Retry' }, null],
    ...['height: 0', 'width: 0; height: 9px', 'transform: scale(0)'].map((style): (typeof cases)[0] => [
      closed(style),
      { selector: 'body', text: 'Answer' },
      SHOWN_THERE,
    ]),
    [closed('height: 0'), { selector: 'section, p', text: 'Answer' }, /only in hidden text/],
    [closed('height: 0'), { selector: 'b', text: 'Answer' }, /hidden text/],
    // What a component hides whose slot stands in a closed part of it.
    ...[
      '<details><summary>More</summary><slot></slot></details>',
      '<details><summary>More</summary><div><slot></slot></div></details>',
      '<div style="height: 0; overflow: hidden"><slot></slot></div>',
      '<div style="height: 0; overflow: hidden"><slot style="display: block; padding: 9px"></slot></div>',
      '<div hidden><slot></slot></div>',
      '<div style="visibility: hidden"><slot></slot></div>',
    ].flatMap((html): typeof cases => [
      [
        slottedIn(html),
        { selector: 'body', text: 'Answer' },
        html.includes('More') ? /hidden text; it shows "Shop More"$/ : /hidden text; it shows "Shop"$/,
      ],
      [slottedIn(html), { selector: 'b', text: 'Answer' }, /only in hidden text/],
    ]),
    [
      `${slottedIn('<slot></slot>').replace('<b>', '<p hidden=until-found>The <b>Answer</b></p><b hidden>')}Sold`,
      { selector: 'p', text: 'Answer' },
      /only in hidden text/,
    ],
    ['<p hidden=until-found>The <b>Answer</b></p>Sold', { selector: 'p', text: 'Answer' }, /hidden text/],
    ['<p hidden=until-found>The <b>Answer</b></p>Sold', { selector: 'body', text: 'Answer' }, /hidden text/],
    // The match itself stands in what is closed, and holds what the browser's own text does not tell.
    ...[
      '<details><summary>Shop</summary><p>Answer <x-box>Print</x-box></p></details>',
      '<h1>Shop</h1><div hidden=until-found><p>Answer <x-box>Print</x-box></p></div>',
      '<h1>Shop</h1><div style="content-visibility: hidden"><p>Answer <x-box>Print</x-box></p></div>',
      '<details><summary>Shop</summary><p style="display: contents">Answer <x-box>Print</x-box></p></details>',
    ].flatMap((html): typeof cases => {
      const page = `${html}<script>
        document.querySelector('x-box').attachShadow({ mode: 'open' }).innerHTML = '<button><slot></slot></button>'</script>`;
      return [
        [page, { selector: 'p', text: 'Answer' }, /only in hidden text/],
        [page, { selector: 'x-box', text: 'Print' }, /only in hidden text/],
      ];
    }),
    [
      `${slottedIn('<slot></slot>')}<form style="visibility: hidden">${list('New')}<input type=submit value=Send></form>`,
      { selector: 'body', text: 'New' },
      /hidden text|not chosen/,
    ],
    [
      `${slottedIn('<slot></slot>')}<form style="visibility: hidden"><input type=submit value=Send></form>`,
      { selector: 'body', text: 'Send' },
      /does not contain|hidden text/,
    ],
    [slottedIn('<details open><slot></slot></details>'), { selector: 'body', text: 'The Answer' }, null],
    [slottedIn('<div><slot></slot></div>'), { selector: 'b', text: 'Answer' }, null],
    [
      '<div style="display: grid; grid-template-rows: 0fr"><p style="margin: 0; min-height: 0; overflow: hidden">Answer</div>Shop',
      { selector: 'div', text: 'Answer' },
      /hidden text/,
    ],
    // What pops up, and what stands between blocks of a line.
    ['<p style="transform: scale(0)">Answer</p>Shop', { selector: 'p', text: 'Answer' }, /hidden text/],
    ['<p style="transform: scale(0.1)">Answer</p>Shop', { selector: 'p', text: 'Answer' }, null],
    [TINY, { selector: 'p', text: 'Answer' }, /hidden text; it shows "Shop"/],
    [
      '<!doctype html><body style="overflow: hidden"><div style="float: left">Answer</div>',
      { selector: 'div', text: 'Answer' },
      null,
    ],
    [closed('height: 0') + CHART, { selector: 'body', text: 'Sales 9' }, null],
    [closed('height: 0') + CHART, { selector: 'body', text: 'Loss' }, /hidden text/],
    [closed('height: 0') + CHART, { selector: 'body', text: 'Chart of' }, /hidden text/],
    // What stands outside of the box is not cut off.
    [closed('height: 0', 'position: absolute'), { selector: 'p', text: 'Answer' }, null],
    [
      closed('height: 0; position: relative', 'position: absolute'),
      { selector: 'body', text: 'Answer' },
      /hidden text/,
    ],
    [
      `<h1>Shop</h1><div style="height: 0; overflow: hidden"><p>The <b>Answer</b></p><i style="position: absolute">Plus</i></div>`,
      { selector: 'body', text: 'Answer' },
      /hidden text; it shows "Shop Plus"$/,
    ],
    [
      `<h1>Shop</h1><div style="height: 0; overflow: hidden"><p>The <b>Answer</b></p><i style="position: fixed">Plus</i></div>`,
      { selector: 'div', text: 'Answer', count: 0 },
      null,
    ],
    [
      `<h1>Shop</h1><form><div style="height: 0; overflow: hidden"><input type=submit value=Send></div></form>`,
      { selector: 'form', text: 'Send' },
      /does not contain|hidden text/,
    ],
    ['<svg><defs><text>Answer</text></defs></svg>Shop', { selector: 'body', text: 'Answer' }, /hidden text/],
    [
      '<svg><symbol id=a><text>Answer</text></symbol></svg>Shop',
      { selector: 'body', text: 'Answer', count: 0 },
      null,
    ],
    [
      '<svg width=0 height=0><text y=9>Answer</text></svg>Shop',
      { selector: 'body', text: 'Answer' },
      /hidden text/,
    ],
    [BARS, { selector: 'svg', text: '120 orders' }, /hidden text/],
    [BARS, { selector: 'svg', text: '12 34' }, null],
    [`${closed('height: 0')}${MATH}`, { selector: 'math', text: 'E=mc' }, /hidden text/],
    [`${closed('height: 0')}${MATH}`, { selector: 'math', text: 'E' }, null],
    [
      slottedIn('<div style="height: 0; overflow: hidden; position: relative"><slot></slot></div>').replace(
        '<b>',
        '<b style="position: absolute">',
      ),
      { selector: 'b', text: 'Answer' },
      /hidden text/,
    ],
    // Selectors of Playwright cross the borders of shadow roots.
    [
      slottedIn('<p><slot></slot></p><div style="height: 0; overflow: hidden"><i>Hint</i></div>'),
      { selector: 'x-box i', text: 'Hint' },
      /hidden text/,
    ],
    ...['x-box > p', 'ul, body > x-box i + p'].map((selector): (typeof cases)[0] => [
      slottedIn('<i>Hint</i><p>Note: <slot></slot></p>'),
      { selector, text: 'Note: The Answer', count: 1 },
      null,
    ]),
    // As the browser writes it.
    ...[
      ['capitalize', 'order placed', 'Order Placed'],
      ['uppercase" lang="tr', 'iptal', 'İPTAL'],
    ].map(([style, written, shown]): (typeof cases)[0] => [
      `<h1 style="text-transform: ${style}">${written} <x-box>now</x-box></h1>${slottedIn('<b><slot></slot></b>')}`,
      { selector: 'h1', text: shown! },
      null,
    ]),
    [CHART, { selector: 'svg', text: 'Loss' }, /only in hidden text; it shows "Sales 9"/],
    [BUTTONS, { selector: 'form', text: 'Send' }, null],
    [BUTTONS, { selector: 'input', text: 'Send', count: 0 }, /contains "Send" in 1, not 0$/],
    [BUTTONS, { selector: 'input', text: 'Typed' }, /does not contain "Typed"/],
    // A closed list shows what is chosen.
    [
      list('New'),
      { selector: 'select', text: 'Paid' },
      /^"select" contains "Paid" only in an option that is not chosen; "New" is$/,
    ],
    [list('New'), { selector: 'select', text: 'Paid', hidden: true }, null],
    [list('New'), { selector: 'body', text: 'Paid' }, /only in an option that is not chosen/],
    [`${list('New')}<p>Paid`, { selector: 'body', text: 'Paid', count: 0 }, /contains "Paid" in 1, not 0$/],
    [`${list('New')}<p hidden>Paid`, { selector: 'body', text: 'Paid' }, /not chosen/],
    [ORDERS, { selector: '.order', text: 'Paid', count: 4 }, /contains "Paid" in 2, not 4$/],
    [ORDERS, { selector: '.order, select', text: 'Paid', count: 4 }, null],
    [ORDERS, { selector: '.order', text: 'Order', count: 4 }, null],
    [`${ORDERS}<p class=order>Paid`, { selector: '.order', text: 'Paid', count: 3 }, null],
    // All options of an open list are shown.
    ['<select multiple><option>New<option>Paid</select>', { selector: 'select', text: 'Paid' }, null],
    ['<select size=2><option>New<option>Paid</select>', { selector: 'select', text: 'Paid' }, null],
    ['<select size=1><option>New<option>Paid</select>', { selector: 'select', text: 'Paid' }, /not chosen/],
    ['<select><option>Paid</select>', { selector: 'select', text: 'Paid' }, null],
    [inShadow(list('Paid')), { selector: 'body', text: 'Paid' }, null],
    [inShadow(list('New')), { selector: 'body', text: 'Paid' }, /"Paid"/],
    // As Mozilla's Fluent writes what it fills in.
    ['<p>Hello, \u2068Anna\u2069!</p>', { selector: 'p', text: 'Hello, Anna!' }, null],
    ['<p>super&shy;man, Cafe\u0301</p>', { selector: 'p', text: 'superman, Caf\u00e9' }, null],
    [HIDDEN, { selector: 'div', text: 'Order confirmed' }, /only in hidden text; no match shows a text/],
    [HIDDEN, { selector: 'div', text: 'Order confirmed', hidden: true }, null],
    [HIDDEN, { selector: 'body', text: 'Order confirmed' }, /only in hidden text; it shows "Shop"/],
    [
      '<div>Order <b style="display:none">not </b>confirmed</div>',
      { selector: 'div', text: 'Order confirmed' },
      null,
    ],
    [
      '<div style="visibility:hidden">Order confirmed<p style="visibility:visible">Shop</div>',
      { selector: 'div', text: 'Order confirmed' },
      /it shows "Shop"/,
    ],
    ['<p>Order<br>confirmed</p>', { selector: 'p', text: 'Order confirmed' }, null],
    ['<p style="text-transform:uppercase">Paid</p>', { selector: 'p', text: 'PAID' }, null],
    // Its own box is empty.
    [
      '<div id=a style="height:0"><p style="position:absolute">Paid</p></div>',
      { selector: '#a', text: 'Paid' },
      null,
    ],
    ['<div style="display:contents">Paid</div>', { selector: 'div', text: 'Paid' }, null],
    ['<svg><text y=20>Paid</text></svg>', { selector: 'text', text: 'Paid' }, null],
    ['<p>Paid</p><p>Paid</p><p hidden>Paid</p>', { selector: 'p', text: 'Paid', count: 2 }, null],
    [
      '<p>Paid</p><p>Paid</p><p>Open</p>',
      { selector: 'p', text: 'Paid', count: 1 },
      /contains "Paid" in 2, not 1/,
    ],
    ['<p>Open</p>', { selector: 'p', text: 'Paid', count: 0 }, null],
    [
      `<p>Open</p><script>Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => 'Paid' });
        Object.defineProperty(HTMLInputElement.prototype, 'value', { get: () => 'Paid' })</script>`,
      { selector: 'p', text: 'Paid' },
      /it shows "Open"/,
    ],
    ...[
      ['text', '<svg><text y=20>Open</text></svg>'],
      ['x-box p', slottedIn('<p>Open</p><div><slot></slot></div>')],
    ].map(([selector, shown]): (typeof cases)[0] => [
      `${shown}<script>for (const [type, name] of [[CharacterData, 'data'], [HTMLElement, 'innerText']])
        Object.defineProperty(type.prototype, name, { get: () => 'Paid' })</script>`,
      { selector: selector!, text: 'Paid' },
      /does not contain "Paid"; it shows "Open"/,
    ]),
    [
      `<input value=Open><script>
        Object.defineProperty(HTMLInputElement.prototype, 'value', { get: () => 'Paid' })</script>`,
      { selector: 'input', value: 'Paid' },
      /has the value "Open"/,
    ],
  ];
  const check = async (html: string, assertion: (typeof cases)[number][1]) => {
    await page.goto(`${site.origin}/`);
    await page.setContent(html);
    const state = assertion.text === undefined ? 'visible' : 'text';
    const whole = { type: 'dom', state, ...assertion } as DomAssertion;
    return look({ page, network: [], specVersion: 'playwright/1' }, whole);
  };
  test.each(cases)('%s: %j', async (html, assertion, expected) =>
    compare(await check(html, assertion), expected),
  );

  test.each(['/frames', '/chart'])('%s shows something', async path => {
    await page.goto(site.origin + path);
    const absent: DomAssertion = { type: 'dom', state: 'absent', selector: '.none' };
    expect(await look({ page, network: [] }, absent)).toBeNull();
  });

  const many = (count: number, of: (isLast: boolean) => string) =>
    Array.from({ length: count }, (_, index) => of(index === count - 1)).join('');
  const rows = many(490, isLast => `<li>Item: <b>${isLast ? 'Error' : 'fine'}</b></li>`);
  const lists = many(490, isLast => `<li class=order>${list(isLast ? 'Paid' : 'New')}</li>`);
  const fields = many(190, isLast => `<input value=${isLast ? 'bad' : 'good'}>`);
  test.each<[number, Expected]>([
    [5_000, null],
    [5_001, /^"li" matches 5001 elements, more than the 5000 that can be read: use a narrower selector$/],
  ])('of %d rows', async (count, expected) => {
    const html = many(count, isLast => `<li>Row <b>${isLast ? 'last' : 'other'}</b></li>`);
    compare(await check(html, { selector: 'li', text: 'Row last', count: 1 }), expected);
  });
  test.each<[(typeof cases)[number][1], Expected]>([
    [{ selector: 'ul li', text: 'Error' }, null],
    [{ selector: 'ul li', text: 'Error', count: 0 }, /contains "Error" in 1, not 0$/],
    [{ selector: 'ul li', text: 'fine', count: 489 }, null],
    [{ selector: '.order', text: 'Paid', count: 1 }, null],
    [{ selector: 'input', value: 'bad', count: 0 }, /has the value "bad" in 1, not 0$/],
  ])('of hundreds none is left out because that takes its time: %j', async (assertion, expected) =>
    compare(await check(`<ul>${rows}</ul>${fields}<ol>${lists}</ol>`, assertion), expected),
  );
});

describe('network', () => {
  let log: ReturnType<typeof recordNetwork>;
  beforeEach(async () => {
    await page.goto(`${site.origin}/`);
    log?.stop();
    log = recordNetwork(context);
    log.keepBodies(({ url }) => url.includes('/orders'));
  });
  const SECRETS = new Secrets({
    PW: 'hunter2',
    OTHER: 'Hunter2',
    PIN: '4711',
    PHRASE: 'Tr0ub4dor &3x',
    LINES: 'line 1\r\nline 2\r\n',
    SAME: 'hunter2',
  });
  const login = (field: string) => post(`{ method: 'POST', body: JSON.stringify(${field}) }`);
  const ORDER = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ qty: 1, total: '10', items: [{ sku: 'A4', n: 1 }], pw: 'hunter2' }) }`;
  const BARE_JSON = `{ method: 'POST', body: JSON.stringify({ page: '/cart?step=2', event: 'Delete "Basil"' }) }`;
  const MARKED = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '\\ufeff{"qty":1,"rest":-0}' }`;
  const BARE = "{ method: 'POST', body: '{}' }";
  const NOTE = `{ method: 'POST', body: JSON.stringify({ notes: ['size "L"\\nlarge cafe'] }).replace('cafe', 'caf\\\\u00e9') }`;
  const LONG = `{ method: 'POST', body: JSON.stringify({ more: 'x'.repeat(250_000), qty: 2 }) }`;
  const BLOB = `{ method: 'POST', body: new Blob(['{"qty":2}'], { type: 'application/json' }) }`;
  const UNTYPED = BLOB.replace(/, { type[^}]*}/, '');
  const EMPTY = UNTYPED.replace(/\[.*\]/, '[]');
  const UNKNOWN = /was sent with a body that was not read in full \(answered with 200\)$/;
  const post = (options: string, path = '/orders') => `await (await fetch('${path}', ${options})).text();`;
  const form = (more: string, fields: string) => `
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: '/orders' ${more} });
    form.innerHTML = ${JSON.stringify(fields)};
    document.body.append(form);
    ${'const file = form.querySelector("[type=file]"); if (file) { const held = new DataTransfer(); held.items.add(new File(["secret plan"], "plan.txt")); file.files = held.files; }'}
    form.submit();`;
  const FIELDS =
    '<input name=qty value=1><input name=to value="Ada & Bob"><input name=tag value=x><input name=tag value=y>';
  const SCRIPTED = `{ method: 'POST', body: new URLSearchParams({ note: 'first\\nsecond' }) }`;
  const LATIN = ", acceptCharset: 'windows-1252'";
  const OLDER = '<input name=name value=Zoë><input name=street value="€ 5">';
  const ALL = { qty: '1', to: 'Ada & Bob', tag: ['x', 'y'] };
  const LINES = '<textarea name=note>first\nsecond</textarea>';
  const NOTED = { note: 'first\nsecond' };
  const MULTIPART = ", enctype: 'multipart/form-data'";
  const TEXT = ", enctype: 'text/plain'";
  const cases: [name: string, act: string, more: Partial<NetworkAssertion>, Expected][] = [
    ['no order', '', { count: 1 }, /^no request matched POST/],
    ['two orders instead of one', post(ORDER) + post(ORDER), { count: 1 }, /was sent 2 times, not once$/],
    ['two, one refused', post(ORDER) + post(ORDER, '/orders?refused'), { count: { min: 2, max: 3 } }, null],
    ['never, and none', post(ORDER, '/carts'), { never: true }, null],
    ['never, but one', post(ORDER), { never: true }, /^POST http.*\/orders was sent \(answered with 200\)$/],
    ['never with a status', post(ORDER), { never: true, status: 204 }, null],
    [
      'never, though it broke off',
      `const off = new AbortController(); const sent = fetch('/orders?held', { method: 'POST', signal: off.signal }); off.abort(); await sent.catch(() => {});
       await fetch('http://localhost:1/orders', { method: 'POST' }).catch(() => {});`,
      { never: true },
      /was sent \(net::ERR_/,
    ],
    ['other JSON', post(ORDER), { body: { qty: 2 } }, /was sent with \{"qty":1,.*\}, not with \{"qty":2\}$/],
    ['a number is no text', post(ORDER), { body: { total: 10 } }, /not with/],
    ['deep', post(ORDER), { body: { items: [{ sku: 'A4' }] } }, null],
    ['a list is as long', post(ORDER), { body: { items: [] } }, /not with/],
    ['no inherited field', post(ORDER), { body: { constructor: {} } }, /not with/],
    [
      'never a text of JSON with =',
      post(BARE_JSON),
      { never: true, body: 'Delete "Basil"' },
      /was sent with/,
    ],
    ['JSON behind a byte order mark', post(MARKED), { body: { qty: 1 } }, null],
    ...['[[[], {"event":"b"}], "x"]', ')]}\\n{"event":"b"}'].map((body): (typeof cases)[0] => [
      `never with JSON that is not one mapping, ${body}`,
      post(`{ method: 'POST', body: '${body}' }`),
      { never: true, body: { event: 'b' } },
      /was sent with a body that has it among other items \(answered with 200\)$/,
    ]),
    ...['{"event":"a"}\\n{"event":"c"}', '"b"', 'null'].map((body): (typeof cases)[0] => [
      `never with JSON that has it nowhere, ${body}`,
      post(`{ method: 'POST', body: '${body}' }`),
      { never: true, body: { event: 'b' } },
      null,
    ]),
    [
      'never with a mapping, and a body of another form',
      post(`{ method: 'POST', body: '<event>b</event>' }`),
      { never: true, body: { event: 'b' } },
      /was sent with a body that is neither JSON nor a form \(answered with 200\)$/,
    ],
    [
      'a list of JSON is no mapping',
      post(`{ method: 'POST', body: '[{"event":"b"}]' }`),
      { body: { event: 'b' } },
      /not with/,
    ],
    ['never a list, but a mapping', post(ORDER), { never: true, body: ['b'] }, null],
    ['a zero below zero', post(MARKED), { body: { rest: 0 } }, null],
    ['a text in it', post(ORDER), { body: '"sku":"A4"' }, null],
    ['a text that JSON escapes', post(NOTE), { body: 'size "L"\nlarge café' }, null],
    ['not this text', post(ORDER), { body: 'B7' }, /not with "B7"/],
    ['a secret of the same value as another', post(ORDER), { body: { pw: '<secret>SAME</secret>' } }, null],
    ['a secret in other letters', post(ORDER), { body: { pw: '<secret>OTHER</secret>' } }, /not with/],
    [
      'a secret with a line break at its end',
      login('{ p: "line 1\\nline 2" }'),
      { body: { p: '<secret>LINES</secret>' } },
      null,
    ],
    [
      'an address with a secret',
      login('"/t?c=" + encodeURIComponent("Tr0ub4dor &3x")'),
      { body: 'c=<secret>PHRASE</secret>' },
      null,
    ],
    ...['btoa(v)', '[{ a: "b=c" }, { d: v }]'].map((changed): (typeof cases)[0] => [
      `never a secret, in any form: ${changed}`,
      `const v = 'Tr0ub4dor &3x'; ${login(`{ d: ${changed} }`)}`,
      { never: true, body: '<secret>PHRASE</secret>' },
      /was sent/,
    ]),
    [
      'never an item of a list that looks like a form',
      login('[{ u: "/?a=b", event: "b" }]'),
      { never: true, body: { event: 'b' } },
      /among other items/,
    ],
    [
      'a deep list beside it',
      `${login('"[".repeat(20_000) + "]".repeat(20_000)').replace('JSON.stringify', '')}; ${login('{ pin: 4711 }')}`,
      { body: { pin: '<secret>PIN</secret>' } },
      null,
    ],
    ['a secret as a number', login('{ pin: 4711 }'), { body: { pin: '<secret>PIN</secret>' } }, null],
    ['a secret in a text', login('"Hi hunter2!"'), { body: 'Hi <secret>PW</secret>' }, null],
    ['an unknown secret', login('{ pin: "" }'), { body: { pin: '<secret>OLD</secret>' } }, /not with/],
    [
      'a secret in a form',
      `await fetch('/orders', { method: 'POST', body: new URLSearchParams({ p: 'Tr0ub4dor &3x' }) })`,
      { body: { p: '<secret>PHRASE</secret>' } },
      null,
    ],
    ...['encodeURIComponent(v)', 'v.replace(" ", "  ")'].map((broken): (typeof cases)[0] => [
      `a secret that the page changes: ${broken}`,
      `const v = 'Tr0ub4dor &3x'; ${login(`{ p: ${broken} }`)}`,
      { body: { p: '<secret>PHRASE</secret>' } },
      /was sent with \{"p":"<secret>PHRASE<\/secret>.*"\}, not with/,
    ]),
    ['a secret does not show', post(ORDER), { body: { pw: 'other' } }, /"pw":"<secret>PW<\/secret>"/],
    ['never with a body', post(ORDER), { never: true, body: { qty: 2 } }, null],
    ['never with a body, and none', post(`{ method: 'POST' }`), { never: true, body: { qty: 2 } }, null],
    ['never with a body that is too long to be kept', post(LONG), { never: true, body: { qty: 2 } }, UNKNOWN],
    ['never with a body without a type', post(UNTYPED), { never: true, body: 'qty' }, UNKNOWN],
    ['never with a body, and one that is empty', post(EMPTY), { never: true, body: 'qty' }, null],
    ['no body that the browser does not tell', post(BLOB), { count: 0, body: 'qty' }, /sent with "qty" once/],
    ['never with this body', post(ORDER), { never: true, body: { qty: 1 } }, /was sent with \{"qty":1\}/],
    ['once with a body', post(ORDER) + post(BARE), { count: 1, body: { qty: 1 } }, null],
    ['no body', post("{ method: 'POST' }"), { body: 'A4' }, /with no body that can be read, not with "A4"/],
    ['a form', form('', FIELDS), { body: { ...ALL, qty: 1 } }, null],
    ['a part of a form', form('', FIELDS), { body: { tag: 'y' } }, null],
    ['another form', form('', FIELDS), { body: { to: 'Ada' } }, /"to":\["Ada & Bob"\].*, not with/],
    ['a form in parts', form(MULTIPART, FIELDS), { body: ALL }, null],
    ['lines of a form', form('', LINES), { body: NOTED }, null],
    ['lines of a form that a script sends', post(SCRIPTED), { body: NOTED }, null],
    ['a form of an older page', form(LATIN, OLDER), { body: { name: 'Zoë', street: '€ 5' } }, null],
    ['a text of an older form', form(LATIN, OLDER), { body: 'Zoë' }, null],
    [
      'never one of an older page',
      form(LATIN, OLDER),
      { body: { name: 'Zoë' }, never: true },
      /was sent with/,
    ],
    ['a form as plain text', form(TEXT, FIELDS), { body: { ...ALL, qty: 1 } }, null],
    [
      'a form with a file, which Chromium does not tell',
      form(MULTIPART, '<input name=qty value=1><input type=file name=plan>'),
      { body: { qty: '1' } },
      /was sent with no body that can be read/,
    ],
  ];
  test.each(cases)('%s', async (_, act, more, expected) => {
    const landed = act.includes('form.submit') ? page.waitForURL('**/orders') : undefined;
    await page.evaluate(`(async () => { ${act} })()`);
    await landed;
    const assertion: NetworkAssertion = {
      type: 'network',
      urlPattern: '**/orders**',
      method: 'POST',
      ...more,
    };
    // That a body is empty is told a moment after the answer.
    const { events: network, bodyOf } = log;
    const state = { page, network, bodyOf, once: expected !== null, secrets: SECRETS };
    await expect.poll(() => log.events.every(each => each.status !== null || each.failure)).toBe(true);
    compare(await look(state, assertion), expected);
  });

  test.each([
    ['not answered yet', undefined, 'is not answered yet'],
    ['broken off', 'net::ERR_ABORTED', 'its answer is unknown (net::ERR_ABORTED)'],
  ])('one that is %s may be one too many', async (_, failure, why) => {
    const more = { resourceType: 'fetch', startedAtMs: 0, url: 'http://shop/orders', method: 'POST' };
    const network = [
      { ...more, status: 200 },
      { ...more, status: null, ...(failure && { failure }) },
    ];
    const asked = { type: 'network', urlPattern: '**/orders' } as const;
    const reason = (more: Partial<NetworkAssertion>) => look({ page, network }, { ...asked, ...more });
    for (const count of [1, { max: 1 }]) expect(await reason({ count })).toContain('2 times, not ');
    expect(await reason({ count: 0, status: 500 })).toContain(
      'once, not 0 times (of 1 the answer is unknown)',
    );
    expect(await reason({ count: { min: 1 } })).toBeNull();
    expect(await reason({ never: true, status: 500 })).toContain(why);
    expect(await reason({ count: 1, status: 200, body: 'x' })).not.toBeNull();
  });

  test('once the log has ended, nothing is known not to have been sent', async () => {
    const asked = { type: 'network', urlPattern: '**/orders' } as const;
    const order = { resourceType: 'fetch', startedAtMs: 0, url: 'http://shop/orders', method: 'POST' };
    const state = { page, network: [{ ...order, status: 200 }], isFull: true };
    const ended = /the page sent more than 1 requests, and later ones were not recorded$/;
    for (const more of [{ never: true, status: 500 }, { count: 1 }, { method: 'PUT' }] as const)
      expect(await look(state, { ...asked, ...more })).toMatch(ended);
    expect(await look(state, asked)).toBeNull();
  });

  test('no body is kept unless it is asked for', async () => {
    const quiet = recordNetwork(context);
    await page.evaluate(`(async () => { ${post(ORDER)}${post(ORDER, '/carts')} })()`);
    expect(quiet.events.map(quiet.bodyOf)).toEqual([undefined, undefined]);
    expect(log.events.map(each => log.bodyOf(each)?.type)).toEqual(['application/json', undefined]);
    quiet.stop();
  });
});

describe('download', () => {
  const PAGE = `<p>Shop</p><a id=link download href=/orders.csv>CSV</a><a id=attached href=/attached>CSV</a>
    <a id=popup target=_blank href=/attached>CSV</a><a id=missing download href=/missing.csv>CSV</a>
    <a id=moved download href=/moved>CSV</a>
    <script>
      const offer = (id, parts) => {
        const link = document.body.appendChild(document.createElement('a'));
        Object.assign(link, { id, download: id + '.csv', href: URL.createObjectURL(new Blob(parts)) });
      };
      offer('made', ['made']);
      offer('latin', [new Uint8Array([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72, 0x20, 0x35, 0x80])]);
      offer('wide', [new Uint8Array([0xfe, 0xff, 0, 0x4d, 0, 0xfc])]);
      offer('U\u0308bersicht', ['u\u0308ber']);
      offer('long', ['\u00fcx'.repeat(4000000), 'end']);
    </script>`;
  const shop = siteOfTests('localhost', (path): Answer => {
    const type = { 'content-type': 'text/csv' };
    if (path === '/orders.csv') return { headers: type, body: 'number;total\r\n1042;12 €\r\n' };
    if (path === '/attached')
      return { headers: { ...type, 'content-disposition': 'attachment; filename=orders.csv' }, body: '7' };
    if (path === '/moved') return { status: 302, headers: { location: '/orders.csv' } };
    if (path === '/missing.csv') return { status: 404 };
    return { body: PAGE };
  });
  const open = sessionsOfTests(browser);
  const cases: [id: string, name: string, text: string | undefined, Expected][] = [
    ['link', '*.csv', undefined, null],
    ['link', '*.pdf', undefined, /^no file "\*\.pdf" was downloaded, but "orders\.csv"$/],
    ['link', 'orders.csv', '1042;12 €', null],
    ['link', 'orders.csv', 'total\n1042', null],
    [
      'link',
      'orders.csv',
      '1043',
      /^"orders.csv" does not contain "1043"; it begins with "number;total 1042;12 €"$/,
    ],
    ['attached', 'orders.csv', '7', null],
    ['popup', 'orders.csv', '7', null],
    ['moved', 'orders.csv', '1042', null],
    ['made', 'made.csv', 'made', null],
    ['latin', 'latin.csv', 'Müller 5€', null],
    ['wide', 'wide.csv', 'Mü', null],
    ['U\u0308bersicht', 'Übersicht.csv', 'über', null],
    ['long', 'long.csv', 'xüx', null],
    ['long', 'long.csv', 'end', /does not contain "end" in its first 10 MB; it begins/],
    ['missing', '*.csv', undefined, /^the download of "missing.csv" failed: /],
    ['nothing', '*.csv', undefined, /^no file "\*\.csv" was downloaded$/],
  ];
  /** On the shop's page. */
  async function inShop(path: string, run: (opened: OpenSession & { tab: Page }) => Promise<void>) {
    const opened = await open();
    await opened.page.goto(shop.origin + path);
    shop.hits.length = 0;
    await run({ ...opened, tab: opened.page });
  }

  test('a tab that only brought a download is closed: the one before it is graded', () =>
    inShop('/', async ({ tab, session }) => {
      await tab.evaluate(() => document.getElementById('popup')!.click());
      await expect.poll(() => session.downloads.length).toBe(1);
      await session.followTabs();
      await expect.poll(() => session.context.pages().length).toBe(1);
      expect(session.page).toBe(tab);
      expect(await session.downloads[0]!.failure()).toBeNull();
    }));

  test('that the suite refuses is said to be so', async () => {
    const { page, session, network } = await open({ own: { acceptDownloads: false } });
    await page.goto(`${shop.origin}/`);
    await page.evaluate(() => document.getElementById('link')!.click());
    await expect.poll(() => session.downloads.length).toBe(1);
    const state = { page, network: network.events, downloads: session.downloads };
    compare(
      await look(state, { type: 'download', name: '*.csv' }),
      /was refused: the suite sets `acceptDown/,
    );
  });

  test.each(cases)('%s: %s with %s', (id, name, text, expected) =>
    inShop('/', async ({ tab, session, network }) => {
      await tab.evaluate(each => document.getElementById(each)?.click(), id);
      if (id !== 'nothing') await expect.poll(() => session.downloads.length).toBe(1);
      const assertion = { type: 'download', name, ...(text === undefined ? {} : { text }) } as const;
      const state = { page: tab, network: network.events, downloads: session.downloads };
      compare(await look({ ...state, once: expected !== null }, assertion), expected);
      // Each request once, and answered.
      const sent = shop.hits.map(
        hit => `${hit} ${hit.includes('missing') ? 404 : hit.includes('moved') ? 302 : 200}`,
      );
      const logged = () => network.events.filter(({ url }) => /^http/.test(url) && url !== `${shop.origin}/`);
      const shown = () =>
        logged().map(each => `${each.method} ${each.url.replace(shop.origin, '')} ${each.status}`);
      await expect.poll(shown).toEqual(sent);
    }),
  );

  test('a link with `download` is a request like any other, also where its page was sent before', () =>
    inShop('/orders', async ({ tab, network }) => {
      await tab.evaluate(() => {
        const link = Object.assign(document.createElement('a'), { href: '/orders', download: 'page.html' });
        link.click();
      });
      const asked = { type: 'network', urlPattern: '**/orders', status: '2xx', count: 2 } as const;
      expect(await look({ page: tab, network: network.events, once: false }, asked)).toBeNull();
    }));
});
