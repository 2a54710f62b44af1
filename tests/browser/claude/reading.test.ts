import { describe, expect, it } from 'vitest';
import { ACTION_LIMIT_MS } from '../../../src/agents/tools/driver';
import { harness, html, quickest } from '../../support/claude-harness';
import { hang } from '../../support/hang';

const rows = Array.from(
  { length: 400 },
  (_, i) =>
    `<li><a href="/item/${i}">Item ${i} of a long list of things to see</a> <button>Add item ${i}</button></li>`,
).join('');
const manyRows = Array.from(
  { length: 3000 },
  (_, i) => `<p><a href="/p/${i}">Product number ${i} with a long name</a></p>`,
).join('');

const pages = harness({
  '/shop': html(
    `<header><nav aria-label="Site"><a href="/pricing">Pricing</a></nav></header>
    <main><h1>Blue mug</h1><p>A mug, <b>hand made</b>.</p>
      <form aria-label="Buy"><label>Quantity <input type="number" value="1"></label>
        <label>Your name <input placeholder="Jane Doe"></label><label>When <input type="date"></label>
        <label><input type="checkbox" checked> Gift wrap</label>
        <select aria-label="Size"><option>Small<option selected>Large</select>
        <label>Password <input type="password" value="hunter2"></label>
        <button disabled>Pay</button><button type="button">Add to cart</button></form>
      <div onclick="document.title='opened'" style="cursor:pointer">Show reviews</div>
      <output></output><ul><li></li></ul><div contenteditable aria-label="Note">a note</div></main>
    <p style="display:none">hidden words</p>
    <footer style="margin-top:2000px"><a href="/imprint">Imprint</a></footer>`,
    'Mugs',
  ),
  '/list': html(`<h1>List</h1><ul>${rows}</ul>`),
  '/many': html(manyRows),
  '/deep': html(
    `<main>${Array.from({ length: 24 }, (_, i) => `<section aria-label="level ${i}">`).join('')}<button>Bottom</button></main>`,
  ),
  '/outer': html(
    `<h1>Outer</h1><iframe title="shop" src="/inside" style="width:400px;height:200px;border:0"></iframe>`,
  ),
  '/inside': html(
    `<button onclick="document.title='clicked'">Inner button</button><p>Words inside the frame</p><div style="margin-top:900px"><button>Frame bottom</button></div>`,
  ),
  '/shadow': html(`<p>Light words</p><x-card></x-card><script>
    customElements.define('x-card', class extends HTMLElement { connectedCallback() {
      this.attachShadow({ mode: 'open' }).innerHTML = '<p>Shadow words</p><button>Shadow button</button>'; } });</script>`),
  '/article': html(
    `<nav>${'<a href="#">menu</a> '.repeat(20)}</nav><article><h1>News</h1>${'<p>The story goes on and on.</p>'.repeat(40)}</article><footer>Imprint</footer>`,
  ),
  '/long': html(`<pre>${'All work and no play makes a dull page. '.repeat(2000)}</pre>`),
  '/changing': html(`<div id="root"><button id="a">First</button></div><button id="b">Stays</button>`),
  '/twins': html(
    `<button id="one">Remove</button><button onclick="document.title='removed'">Remove</button>`,
  ),
  '/drawing': html(
    `<canvas aria-label="Plan" width="300" height="150"></canvas><canvas role="img" aria-label="Chart"></canvas>
    <input aria-label="Arrival" readonly value="2026-01-01"><script>document.querySelector('canvas').onclick = () => { document.title = 'drawn'; }</script>`,
  ),
  '/empty': html(''),
  // A page that waits for it does nothing else meanwhile, and takes no processor.
  '/held': (_, response) => void setTimeout(() => response.end(), 4_000),
});

describe('read_page', () => {
  it('shows what is in the viewport, with references for what can be acted on', async () => {
    const { act } = await pages.openOnce('/shop');
    const { text, tabs } = await act('read_page');
    expect(text.split('\n')[0]).toMatch(/^0 px above and \d{4} px below the viewport$/);
    expect(tabs).toEqual([expect.objectContaining({ title: 'Mugs', url: expect.stringMatching(/\/shop$/) })]);
    for (const line of [
      /- navigation "Site" \[ref_\d+\]\n {4}- link "Pricing" \[ref_\d+\]/,
      /- heading "Blue mug" \(level=1\)/,
      /- paragraph: A mug, hand made\./,
      /- spinbutton "Quantity" \[ref_\d+\]: 1/,
      /- textbox "Your name" \[ref_\d+\] \(placeholder="Jane Doe"\)/,
      /- textbox "When" \[ref_\d+\] \(type=date\)/,
      /- checkbox "Gift wrap" \[ref_\d+\] \(checked\)/,
      /- combobox "Size" \[ref_\d+\]\n +- option "Small"\n +- option "Large" \(selected\)/,
      /- button "Pay" \[ref_\d+\] \(disabled\)/,
      /- generic \[ref_\d+\] \(clickable\): Show reviews/,
      /- textbox "Note" \[ref_\d+\]: a note/,
      /\(\d more elements are outside the viewport: read with filter "all", scroll, or use find\.\)/,
    ])
      expect(text).toMatch(line);
    expect(text).not.toContain('Imprint');
    // The label is the field's name, and an empty part of the structure says nothing.
    expect(text).not.toMatch(/- text: (Quantity|Gift wrap)/);
    expect(text).not.toMatch(/- (list|listitem|status)$/m);
    expect(text).not.toContain('hidden words');
    expect(text).not.toContain('hunter2');
  });

  it('shows with filter "all" what is outside the viewport too', async () => {
    const { act } = await pages.openOnce('/shop');
    const { text } = await act('read_page', { filter: 'all' });
    expect(text).toMatch(/link "Imprint" \[ref_\d+\]/);
    expect(text).not.toContain('outside the viewport');
  });

  it('shows with filter "interactive" only what can be acted on, one line each', async () => {
    const { act } = await pages.openOnce('/shop');
    const { text } = await act('read_page', { filter: 'interactive' });
    expect(text).toMatch(/^- link "Pricing" \[ref_\d+\]$/m);
    expect(text).toMatch(/^- button "Add to cart" \[ref_\d+\]$/m);
    expect(text).not.toContain('Blue mug');
    expect(text).toContain('(1 more elements are outside the viewport');
  });

  it('follows the viewport', async () => {
    const { act, page } = await pages.open('/list');
    await page.evaluate('scrollTo(0, 3000)');
    const { text } = await act('read_page');
    expect(text).not.toContain('Add item 0"');
    expect(text).toMatch(/Add item 1[4-9]\d/);
    expect(text).toMatch(/\d{3,} more elements are outside/);
  });

  it('stays below 50,000 characters and says what was left out', async () => {
    const { act } = await pages.open('/many');
    const { text } = await act('read_page', { filter: 'all' });
    expect(text.length).toBeLessThanOrEqual(50_000);
    expect(text.length).toBeGreaterThan(45_000);
    expect(text.split('\n').at(-1)).toMatch(
      /^\(\d+ more lines were left out at 50000 characters: .*use find\.\)$/,
    );
  });

  it('stops at a depth, 15 by default, and reads on from a reference', async () => {
    const { act } = await pages.open('/deep');
    const whole = (await act('read_page')).text;
    expect(whole).toContain('level 13');
    expect(whole).not.toContain('level 14');
    expect(whole).toMatch(/\(11 elements lie deeper: read with a larger depth, or from a ref\.\)/);
    const shallow = (await act('read_page', { depth: 3 })).text;
    expect(shallow).not.toContain('level 2"');
    const ref = /level 13" \[(ref_\d+)\]/.exec(whole)![1]!;
    expect((await act('read_page', { ref })).text).toContain('button "Bottom"');
    expect((await act('read_page', { depth: 40 })).text).toContain('button "Bottom"');
  });

  it('includes frames, as far as they can be seen', async () => {
    const { act, ref, page } = await pages.open('/outer');
    const { text } = await act('read_page');
    expect(text).toMatch(/- iframe( "shop")? \[ref_\d+\]\n {2,}- button "Inner button"/);
    expect(text).not.toContain('Frame bottom');
    expect((await act('read_page', { filter: 'all' })).text).toContain('Frame bottom');
    await act('left_click', { target: await ref(/Inner button/) });
    expect(await page.frames()[1]!.title()).toBe('clicked');
  });

  it('includes drawings, and says that only a picture shows them', async () => {
    const { act, ref, page } = await pages.open('/drawing');
    const { text } = await act('read_page');
    expect(text).toMatch(
      /canvas "Plan" \[ref_\d+\] \(.*size=300x150, only a screenshot shows what is on it\)/,
    );
    expect(text.match(/canvas/g)).toHaveLength(1);
    await act('left_click', { target: await ref(/canvas/) });
    expect(await page.title()).toBe('drawn');
  });

  it('marks what is read-only, and says what to do instead of setting it', async () => {
    const { act, ref, run } = await pages.open('/drawing');
    expect((await act('read_page')).text).toMatch(/textbox "Arrival" \[ref_\d+\] \(readonly\)/);
    const { text } = await run('form_input', { target: await ref(/Arrival/), value: '2026-02-02' });
    expect(text).toMatch(/is read-only: click it/);
  });

  it.each(['read_page', 'find'])('%s says what to do with a page that takes too long', async member => {
    const { run, page } = await pages.open('/shop', { context: {} });
    page.ariaSnapshotJSON = () =>
      Promise.reject(new Error('page.ariaSnapshotJSON: Timeout 10000ms exceeded.'));
    const { isError, text } = await run(member, { query: 'button' });
    expect(isError).toBe(true);
    expect(text).toMatch(/did not give its elements in time.*Take a screenshot.*scroll/);
  });

  it('shows what sliders and bars of libraries stand at', async () => {
    const { act, page, ref } = await pages.open('/empty');
    const one = (role: string, values: string, style = 'width:50px') =>
      `<div role=${role} tabindex=0 aria-label=${role} ${values} style="${style};height:20px"></div>`;
    await page.evaluate(
      html => {
        document.body.innerHTML = html;
        const move = ({ key }: KeyboardEvent) =>
          key === 'ArrowRight' && document.querySelector('[role=slider]')!.setAttribute('aria-valuenow', '4');
        addEventListener('keydown', move);
      },
      `${one('slider', 'aria-valuenow=3')}${one('progressbar', 'aria-valuenow=40 aria-valuetext="40 of 100"', 'width:60px')}`,
    );
    const { text } = await act('read_page', { filter: 'all' });
    expect(text).toMatch(/slider "slider" \[ref_\d+\].*3[\s\S]*progressbar "progressbar".*40 of 100/);

    await act('left_click', { target: await ref(/slider/) });
    expect((await act('key', { text: 'ArrowRight' })).text).not.toContain('as it was');
  });

  it('includes shadow roots, and says where there is nothing', async () => {
    const shadow = await pages.open('/shadow');
    expect((await shadow.act('read_page')).text).toMatch(/button "Shadow button" \[ref_\d+\]/);
    const empty = await pages.open('/empty');
    expect((await empty.act('read_page')).text).toContain('(nothing to read here)');
  });
});

describe('references', () => {
  it('keep their names from reading to reading', async () => {
    const { act, page } = await pages.open('/changing');
    const refOf = async (name: string) =>
      new RegExp(`"${name}" \\[(ref_\\d+)\\]`).exec((await act('read_page')).text)?.[1];
    const stays = await refOf('Stays');
    await page.evaluate("root.innerHTML = '<button>Second</button>'");
    expect(await refOf('Stays')).toBe(stays);
    expect(await refOf('Second')).not.toBe(await refOf('First'));
  });

  it('hold for an equal element that was rendered anew, if it is the only one of its role and name', async () => {
    const { run, ref, page, act } = await pages.open('/changing');
    const target = await ref(/First/);
    await page.evaluate(`root.innerHTML = '<button onclick="document.title = 1">First</button>'`);
    await act('left_click', { target });
    expect(await page.title()).toBe('1');
    await page.evaluate(`root.innerHTML = '<button>First</button><button>First</button>'`);
    expect((await run('left_click', { target })).text).toMatch(/is stale/);
  });

  it('do not pass to an equal element that was there before', async () => {
    const { run, ref, page } = await pages.open('/twins');
    const target = await ref(/Remove/);
    await page.evaluate('one.remove()');
    expect((await run('left_click', { target })).text).toMatch(/is stale/);
    expect(await page.title()).toBe('Test page');
  });

  it.each([
    ['removed', "document.getElementById('a').remove()"],
    ['replaced by another one', 'root.innerHTML = \'<button id="a">Third</button>\''],
  ])('are stale at once when the element was %s', async (_, change) => {
    let answer: { text: string; isError: boolean } | undefined;
    let stale = '';
    await quickest(ACTION_LIMIT_MS, async () => {
      const { run, ref, page } = await pages.open('/changing');
      const target = await ref(/First/);
      stale = target.ref;
      await page.evaluate(change);
      return async () => {
        answer = await run('left_click', { target });
      };
    });
    const { isError, text } = answer!;
    expect(isError).toBe(true);
    expect(text).toBe(
      `${stale} (button "First") is stale: the page has changed since it was read. Call read_page or find for references that are valid now.`,
    );
  });

  it('are stale after a navigation, also where the new page has as many elements', async () => {
    const { run, ref, page, origin } = { ...(await pages.open('/changing')), origin: pages.origin() };
    const target = await ref(/First/);
    await page.goto(`${origin}/shop`);
    expect((await run('left_click', { target })).text).toMatch(/is stale/);
    await run('read_page');
    expect((await run('left_click', { target })).text).toMatch(/is stale/);
  });

  it("survive someone else's snapshot of the page", async () => {
    const { act, ref, page } = await pages.open('/changing');
    const target = await ref(/Stays/);
    await page.locator('#a').ariaSnapshot();
    await page.locator('#a').ariaSnapshot({ mode: 'ai' });
    await act('left_click', { target });
  });

  it('that were never given are answered with what to do', async () => {
    const { run } = await pages.open('/changing');
    const { text } = await run('left_click', { target: { type: 'ref', ref: 'ref_99' } });
    expect(text).toBe(
      'There is no ref_99. Call read_page or find, and use a reference from what they return.',
    );
  });
});

describe('find', () => {
  it.each([
    ['add to cart button', /^- button "Add to cart" \[ref_\d+\]/],
    ['date field', /^- textbox "When"/],
    ['link to prices', /^- link "Pricing"/],
    ['gift wrapping checkbox', /^- checkbox "Gift wrap"/],
    ['size dropdown', /^- combobox "Size"/],
    ['reviews', /Show reviews/],
    ['Imprint', /^- link "Imprint" \[ref_\d+\].*\(outside the viewport\)/],
  ])('%s', async (query, best) => {
    const { act } = await pages.openOnce('/shop');
    const { text } = await act('find', { query });
    expect(text.split('\n')[1]).toMatch(best);
  });

  it('tells equal buttons apart by what is around them, and returns 20 at most', async () => {
    const { act } = await pages.open('/list');
    const { text } = await act('find', { query: 'add item button' });
    expect(text.split('\n')).toHaveLength(21);
    expect((await act('find', { query: 'add item 217' })).text.split('\n')[1]).toContain('"Add item 217"');
  });

  it('returns references that work', async () => {
    const { act, page } = await pages.open('/shop');
    const { text } = await act('find', { query: 'show the reviews' });
    await act('left_click', { target: { type: 'ref', ref: /ref_\d+/.exec(text)![0] } });
    expect(await page.title()).toBe('opened');
  });

  it('says what to try where nothing matches', async () => {
    const { act } = await pages.open('/changing');
    expect((await act('find', { query: 'shipping address' })).text).toMatch(
      /^No element matches "shipping address"\. Try/,
    );
  });
});

describe('get_page_text', () => {
  it('prefers the article, and takes the whole page where there is none', async () => {
    const article = await pages.open('/article');
    const { text } = await article.act('get_page_text');
    expect(text).toMatch(/^News/);
    expect(text).not.toContain('menu');
    const shop = await pages.open('/shop');
    const whole = (await shop.act('get_page_text')).text;
    expect(whole).toContain('hand made');
    expect(whole).not.toContain('hidden words');
  });

  it('includes frames and shadow roots', async () => {
    const outer = await pages.open('/outer');
    expect((await outer.act('get_page_text')).text).toMatch(
      /--- frame http.*\/inside\nInner button\n+Words inside the frame/,
    );
    const shadow = await pages.open('/shadow');
    expect((await shadow.act('get_page_text')).text).toMatch(/Light words\s+Shadow words/);
  });

  it('of a page that is busy is no empty text', async () => {
    const { run, page } = await pages.open('/shop', { context: {} });
    await page.evaluate(hang('/held', 0));
    const { isError, text } = await run('get_page_text');
    expect(isError).toBe(true);
    expect(text).toMatch(/did not give its text within 2 s.*Take a screenshot/);
  });

  it('is cut at 50,000 characters, and says so', async () => {
    const { act } = await pages.open('/long');
    const { text } = await act('get_page_text');
    expect(text.length).toBeLessThanOrEqual(50_000);
    expect(text).toMatch(/more characters were left out at 50000/);
  });
});
