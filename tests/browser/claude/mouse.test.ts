import { describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';
import { at, imageInfo } from '../../support/messages-api';

const LOG = `<script>
  window.log = [];
  const note = (type, e) => log.push([type, e.target.id, e.button, e.detail, [e.ctrlKey && 'ctrl', e.shiftKey && 'shift'].filter(Boolean).join('+')].join(' ').trim());
  for (const type of ['click', 'auxclick', 'dblclick', 'contextmenu', 'mousedown', 'mouseup', 'mouseover'])
    addEventListener(type, e => note(type, e), true);
</script>`;

/** What is said of a click on what stands in the page's rows. */
const NAMED = [
  ['link "Foo"', '<div contenteditable><a href="#foo">Foo</a></div>'],
  ['heading "Bar"', '<h2 style="margin:0">Bar</h2>'],
  ['textbox "Note"', '<div contenteditable aria-label="Note">Text</div>'],
  ['button "Search"', '<input type="image" alt="Search" style="width:40px;height:20px">'],
  ['button "Photo"', '<input type="file" aria-label="Photo">'],
  ['div.card "Lily"', '<div class="css-1x2y card" onclick="0">Lily</div>'],
] as const;

/** What is noted of a move to what stands in the page's rows: its locator, and whether the spot could matter. */
const CONTROLS = [
  [
    'treeitem "Roses"',
    '<div role="treeitem"><span>Roses</span></div>',
    "getByRole('treeitem', { name: 'Roses' })",
    true,
  ],
  [
    'combobox "Plant"',
    '<div role="combobox" aria-label="Plant">Lily</div>',
    "getByRole('combobox', { name: 'Plant' })",
    false,
  ],
  [
    'menuitemradio "Red"',
    '<div role="menuitemradio"><span style="display:block">Red</span></div>',
    "getByRole('menuitemradio', { name: 'Red' })",
    false,
  ],
  [
    'textbox "Letter"',
    '<div contenteditable aria-label="Letter"><b>Dear</b></div>',
    "getByLabel('Letter')",
    true,
  ],
  ['textbox "Note"', '<div contenteditable aria-label="Note"></div>', "getByLabel('Note')", false],
  [
    'row "Shop"',
    '<a href="#" role="row" aria-label="Shop"><b role="img">S</b></a>',
    "getByRole('row', { name: 'Shop' })",
    false,
  ],
  ['slider "Price"', '<div role="slider" aria-label="Price"><b>Low</b></div>', "getByText('Low')", true],
  [
    'treeitem "Plants"',
    '<div role="treeitem" aria-label="Plants" style="display:flex"><b>Plants</b><div role="treeitem" style="flex:9">Fern</div></div>',
    "getByRole('treeitem', { name: 'Plants' })",
    true,
  ],
] as const;

const rows = (shown: readonly (readonly [string, string, ...unknown[]])[]) =>
  html(
    `<style>body { margin: 0 } .row { height: 40px }</style>${shown
      .map(([, row]) => `<div class="row">${row}</div>`)
      .join('')}`,
  );

const pages = harness({
  // The button is elsewhere once the pointer arrives.
  '/moves': html(`${LOG}<button id="run" style="position:absolute;top:100px">Run</button>
    <script>run.addEventListener('mousemove', () => { run.style.top = '400px'; }, { once: true })</script>`),
  '/clicks':
    html(`${LOG}<button id="one" style="position:absolute;left:100px;top:100px;width:80px;height:40px">One</button>
    <button id="far" style="position:absolute;left:100px;top:3000px">Far away</button>
    <button id="off" disabled style="position:absolute;left:300px;top:100px">Off</button>
    <div id="host" style="position:absolute;left:100px;top:200px"></div>
    <script>host.attachShadow({ mode: 'open' }).innerHTML = '<button onclick="log.push(\\'shadow clicked\\')">Shadow</button>'</script>`),
  '/names': rows(NAMED),
  '/controls': rows(CONTROLS),
  '/covered': html(
    `<button id="under">Under</button><div class="veil" style="position:fixed;inset:0"></div>`,
  ),
  '/drag':
    html(`<div id="box" draggable="true" style="position:absolute;left:50px;top:50px;width:60px;height:60px;background:red"></div>
    <div id="bin" style="position:absolute;left:300px;top:50px;width:100px;height:100px;background:#ccc">bin</div>
    <input id="range" type="range" min="0" max="100" value="0" style="position:absolute;left:0;top:300px;width:200px;margin:0">
    <script>window.log = [];
      bin.ondragover = e => e.preventDefault(); bin.ondrop = () => log.push('dropped');
      range.oninput = () => log.push('range');</script>`),
  '/way':
    html(`<div style="display:flex">${['A', 'B', 'C', 'D'].map(name => `<div style="width:100px;height:100px">${name}</div>`).join('')}<div id="slot" style="width:10px;height:10px">E</div></div>
    <script>window.log = []; let moves = 0;
      onmousemove = ({ buttons, target }) => buttons && !log.includes(target.textContent) && log.push(target.textContent);
      slot.onmousemove = () => moves++; slot.onmouseup = () => log.push(moves > 1 ? 'taken' : 'not ready');</script>`),
  '/hover': html(`<style>#menu{display:none} #top:hover #menu{display:block}</style>
    <div id="top" style="width:200px"><button>Products</button><div id="menu"><a href="/x">Shoes</a></div></div>`),
  '/scroll': html(`<div style="height:5000px">long</div><div style="height:5px" id="end"></div>`),
  '/inner': html(
    `<div id="list" style="width:300px;height:200px;overflow:auto"><div style="height:2000px">rows</div></div><div style="height:3000px"></div>`,
  ),
  '/frame': html(
    `<iframe src="/clicks" style="position:absolute;left:50px;top:50px;width:600px;height:400px;border:0"></iframe>`,
  ),
});

describe('clicks', () => {
  it.each([
    ['left_click', ['mousedown one 0 1', 'mouseup one 0 1', 'click one 0 1']],
    ['right_click', ['contextmenu one 2']],
    ['middle_click', ['auxclick one 1 1']],
    ['double_click', ['click one 0 2', 'dblclick one 0 2']],
    ['triple_click', ['click one 0 3']],
  ])('%s by reference and by coordinate', async (member, events) => {
    const { act, ref, page, actions } = await pages.open('/clicks');
    for (const target of [await ref(/button "One"/), at(140, 120)]) {
      await page.evaluate('log.length = 0');
      const { text } = await act(member, { target });
      expect(text).toMatch(/licked\.$/);
      const log = (await page.evaluate('log')) as string[];
      for (const event of events)
        expect(
          log.some(line => line.startsWith(event)),
          `${event} in ${log}`,
        ).toBe(true);
    }
    const [words, ...rest] = actions.slice(-2).map(action => action.title);
    expect(words).toMatch(/click button "One"$/);
    expect(rest).toEqual([words]);
    expect(actions.at(-1)!.point).toEqual({ x: 140, y: 120 });
  });

  it('holds modifiers for the click alone', async () => {
    const { act, ref, page, log } = await pages.open('/clicks');
    await act('left_click', { target: await ref(/button "One"/), modifiers: 'ctrl+shift' });
    await act('left_click', { target: at(140, 120), modifiers: 'shift' });
    await act('left_click', { target: at(140, 120) });
    const clicks = ((await log()) as string[]).filter(line => line.startsWith('click'));
    expect(clicks.map(line => line.split(' ')[4] ?? '')).toEqual(['ctrl+shift', 'shift', '']);
    expect(page.url()).toContain('/clicks');
  });

  it('scrolls to an element that is out of sight, and into shadow roots', async () => {
    const { act, ref, log, page } = await pages.open('/clicks');
    await act('left_click', { target: await ref(/Far away/) });
    expect(await page.evaluate('scrollY')).toBeGreaterThan(1000);
    await act('left_click', { target: await ref(/Shadow/) });
    const lines = (await log()) as string[];
    expect(lines.some(line => line.startsWith('click far'))).toBe(true);
    expect(lines).toContain('shadow clicked');
  });

  it('names what is at a coordinate inside a shadow root', async () => {
    const { act, actions } = await pages.open('/clicks');
    await act('left_click', { target: at(110, 210) });
    expect(actions[0]!.title).toBe('click button "Shadow"');
  });

  it('names what is at a coordinate as people call it', async () => {
    const { act, actions } = await pages.open('/names');
    for (const row of NAMED.keys()) await act('hover', { target: at(8, row * 40 + 8) });
    expect(actions.map(({ title }) => title)).toEqual(NAMED.map(([words]) => `hover over ${words}`));
  });

  it('notes the control of that name at a coordinate, and the spot only where it matters', async () => {
    const { act, actions } = await pages.open('/controls');
    for (const row of CONTROLS.keys()) await act('hover', { target: at(8, row * 40 + 8) });
    expect(actions.map(({ title }) => title)).toEqual(CONTROLS.map(([words]) => `hover over ${words}`));
    const noted = actions.map(({ recorded }) => {
      const [action] = recorded as { locator: string; position?: object }[];
      return [action!.locator, action!.position !== undefined];
    });
    expect(noted).toEqual(CONTROLS.map(([, , ...told]) => told));
  });

  it('says why an element can not be clicked', async () => {
    const disabled = await pages.open('/clicks');
    const off = await disabled.run('left_click', { target: await disabled.ref(/button "Off"/) });
    expect(off).toMatchObject({ isError: true, text: 'The element could not be used: it is disabled.' });
    expect(disabled.actions.at(-1)).toMatchObject({ title: 'click button "Off"', error: off.text });
    const covered = await pages.open('/covered');
    const under = await covered.run('left_click', { target: await covered.ref(/button "Under"/) });
    expect(under.text).toMatch(/it is covered by <div class="veil"/);
  });

  it('finds an element that moves away just before the click, and clicks it once', async () => {
    const { act, ref, log } = await pages.open('/moves');
    await act('left_click', { target: await ref(/button "Run"/) });
    expect(((await log()) as string[]).filter(each => /^(mousedown|click) run/.test(each))).toEqual([
      'mousedown run 0 1',
      'click run 0 1',
    ]);
  });

  it('refuses a coordinate outside the viewport', async () => {
    const { run } = await pages.open('/clicks');
    const { isError, text } = await run('left_click', { target: at(1400, 20) });
    expect(isError).toBe(true);
    expect(text).toContain('(1400, 20) is outside the viewport, which is 1280 by 720');
  });

  it('reaches into frames by reference and by coordinate', async () => {
    const { act, ref, page, actions } = await pages.open('/frame');
    await act('left_click', { target: await ref(/button "One"/) });
    await act('left_click', { target: at(190, 170) });
    const log = (await page.frames()[1]!.evaluate('log')) as string[];
    expect(log.filter(line => line.startsWith('click one'))).toHaveLength(2);
    expect(actions.filter(action => action.title.startsWith('click')).map(action => action.point)).toEqual([
      { x: 190, y: 170 },
      { x: 190, y: 170 },
    ]);
  });
});

describe('pointer', () => {
  it('hovers by reference and by coordinate', async () => {
    const { act, ref, page } = await pages.open('/hover');
    await act('hover', { target: await ref(/button "Products"/) });
    expect(await page.getByText('Shoes').isVisible()).toBe(true);
    await act('hover', { target: at(900, 600) });
    expect(await page.getByText('Shoes').isVisible()).toBe(false);
    await act('mouse_move', { target: { type: 'coordinate', x: 30, y: 10 } });
    expect(await page.getByText('Shoes').isVisible()).toBe(true);
  });

  it('drags elements and sliders, in one call and by hand', async () => {
    const { act, page, log } = await pages.open('/drag');
    await act('left_click_drag', { from: at(80, 80), target: at(350, 100) });
    expect(await log()).toContain('dropped');
    await act('left_mouse_down', { target: at(8, 308) });
    await act('left_mouse_up', { target: at(150, 308) });
    expect(Number(await page.locator('#range').inputValue())).toBeGreaterThan(60);
  });

  it('drags over what lies on the way, and moves once more where it drops', async () => {
    const { act, log } = await pages.open('/way');
    await act('left_click_drag', { from: at(20, 5), target: at(405, 5) });
    expect(await log()).toEqual(['A', 'B', 'C', 'D', 'E', 'taken']);
  });

  it('scrolls the page, says where nothing scrolls, and scrolls what is under the pointer', async () => {
    const { act, page } = await pages.open('/scroll');
    expect(
      (await act('scroll', { target: at(300, 300), scroll_direction: 'down', scroll_amount: 5 })).text,
    ).toBe('Scrolled down.');
    expect(await page.evaluate('scrollY')).toBe(500);
    await act('scroll', { target: at(300, 300), scroll_direction: 'up', scroll_amount: 5 });
    expect(await page.evaluate('scrollY')).toBe(0);
    const { text } = await act('scroll', { target: at(300, 300), scroll_direction: 'up' });
    expect(text).toContain('Nothing scrolled');
    const inner = await pages.open('/inner');
    await inner.act('scroll', { target: at(100, 100), scroll_direction: 'down' });
    expect(await inner.page.evaluate('[list.scrollTop, scrollY]')).toEqual([300, 0]);
  });

  it('scrolls where the browser has no wheel, as WebKit of a phone', async () => {
    const { act, page } = await pages.open('/inner');
    page.mouse.wheel = () => Promise.reject(new Error('Mouse wheel is not supported in mobile WebKit'));
    await act('scroll', { target: at(100, 100), scroll_direction: 'down' });
    await act('scroll', { target: at(600, 500), scroll_direction: 'down' });
    expect(await page.evaluate('[list.scrollTop, scrollY]')).toEqual([300, 300]);
  });

  it('scrolls an element into view', async () => {
    const { act, ref, page } = await pages.open('/clicks');
    await act('scroll_to', { target: await ref(/Far away/) });
    await expect(page.locator('#far').boundingBox()).resolves.toMatchObject({ y: expect.any(Number) });
    expect((await page.locator('#far').boundingBox())!.y).toBeLessThan(720);
  });
});

describe('pictures', () => {
  it('zooms into a region, enlarged', async () => {
    const { act } = await pages.open('/clicks');
    const { image } = await act('zoom', { region: [90, 90, 190, 150] });
    expect(imageInfo(image!)).toEqual({ mediaType: 'image/jpeg', width: 400, height: 240 });
  });

  it('zooms in a scrolled page at a device scale factor', async () => {
    const { act, page } = await pages.open('/scroll', { context: { deviceScaleFactor: 3 } });
    await page.evaluate('scrollTo(0, 1000)');
    const { image } = await act('zoom', { region: [0, 0, 200, 100] });
    expect(imageInfo(image!)).toMatchObject({ width: 800, height: 400 });
  });

  it('refuses a region without a size', async () => {
    const { run } = await pages.open('/clicks');
    expect((await run('zoom', { region: [10, 10, 10, 50] })).text).toContain('region with a size');
  });
});
