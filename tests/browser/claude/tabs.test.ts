import { describe, expect, it } from 'vitest';
import { harness, html } from '../../support/claude-harness';
import { at } from '../../support/messages-api';
import { serve } from '../../support/serve';

const pages = harness({
  '/one': html('<a href="/two" target="_blank">Open two</a><a href="/two">Go</a>', 'One'),
  '/two': html('<h1>Two</h1><button onclick="document.title=\'pressed\'">Press</button>', 'Two'),
  '/moved': (_, response) => {
    response.writeHead(302, { location: '/two' });
    response.end();
  },
  '/file': (_, response) => {
    response.writeHead(200, { 'content-disposition': 'attachment; filename="report.csv"' });
    response.end('a,b');
  },
  '/dialogs': html(`<button onclick="document.title = String(confirm('Delete it?'))">Delete</button>
    <button onclick="document.title = String(prompt('Your name?', 'nobody'))">Ask</button>
    <button onclick="document.title = confirm('Sure?') + ' ' + prompt('Your name?')">Twice</button>
    <button onclick="alert('Saved'); document.title = 'went on'">Save</button><a href="/file">Download</a>`),
  '/console': html(
    `<script>console.log('hello', 42); console.error('bad thing'); fetch('/two?x=1'); setTimeout(() => { throw new Error('oops') })</script>`,
  ),
});

describe('tabs', () => {
  it('are listed, opened, switched and closed, with a report of all after each call', async () => {
    const { act, run, task } = await pages.open('/one');
    const origin = pages.origin();
    const list = await act('list_tabs');
    expect(list).toMatchObject({
      text: '',
      tabs: [{ tab_id: 'tab_1', title: 'One', url: `${origin}/one`, active: true }],
    });
    const fresh = await act('new_tab');
    expect(fresh.tabs).toHaveLength(2);
    expect(fresh.changes).toEqual([{ type: 'tab_opened', tab_id: 'tab_2' }]);
    expect(fresh.tabs.find(tab => tab.active)).toMatchObject({ tab_id: 'tab_2', url: '' });
    await act('navigate', { url: `${origin}/two` });
    const other = await act('read_page', { tab_id: 'tab_1' });
    expect(other.text).toContain('Open two');
    expect((await act('switch_tab', { tab_id: 'tab_1' })).tabs.find(tab => tab.active)?.tab_id).toBe('tab_1');
    expect(await task.page.title()).toBe('One');
    expect((await act('close_tab', { tab_id: 'tab_2' })).tabs.map(tab => tab.tab_id)).toEqual(['tab_1']);
    expect((await run('close_tab', { tab_id: 'tab_1' })).text).toContain('last open tab');
    expect((await run('read_page', { tab_id: 'tab_2' })).text).toBe(
      'There is no open tab "tab_2". Open tabs: tab_1.',
    );
  });

  it('opened by the site become active, are waited for and are reported', async () => {
    const { act, ref, task } = await pages.open('/one');
    const result = await act('left_click', { target: await ref(/Open two/) });
    expect(result.changes).toEqual([{ type: 'tab_opened', tab_id: 'tab_2' }]);
    expect(result.tabs.find(tab => tab.active)).toMatchObject({ tab_id: 'tab_2', title: 'Two' });
    expect(task.takeNotices().join()).toContain('A new tab opened');
    expect((await act('read_page')).text).toContain('heading "Two"');
  });

  it('have references of their own', async () => {
    const { act, run, ref } = await pages.open('/one');
    const target = await ref(/link "Go"/);
    await act('new_tab');
    expect((await run('left_click', { target })).text).toContain('is in another tab');
    await act('left_click', { target, tab_id: 'tab_1' });
    expect((await act('list_tabs')).tabs[0]!.title).toBe('Two');
  });
});

describe('navigate', () => {
  it('goes to addresses, follows redirects, and reports where it landed', async () => {
    const { act } = await pages.open('/one');
    const origin = pages.origin();
    expect((await act('navigate', { url: `${origin}/moved` })).text).toBe(
      `Navigated to ${origin}/two — Two (HTTP 200)`,
    );
    expect((await act('navigate', { url: '/one' })).text).toContain('/one — One');
    expect((await act('navigate', { url: `${new URL(origin).host}/two` })).text).toContain('/two — Two');
    expect((await act('navigate', { url: '/nowhere' })).text).toContain('(HTTP 404)');
  });

  it('goes back and forward, reloads, and says where there is nothing', async () => {
    const { act, run, page } = await pages.open('/one');
    await act('navigate', { url: '/two' });
    await page.evaluate("document.title = 'changed'");
    expect((await act('navigate', { url: 'reload' })).text).toContain('Two');
    expect((await act('navigate', { url: 'back' })).text).toContain('One');
    expect((await act('navigate', { url: 'Forward' })).text).toContain('Two');
    const { isError, text } = await run('navigate', { url: 'forward' });
    expect(isError).toBe(true);
    expect(text).toContain('no page to go forward to');
  });

  it.each([
    [
      'https://example.com/',
      /example\.com is outside this task\. Pages on these hosts may be opened: 127\.0\.0\.1/,
    ],
    ['example.com', /outside this task/],
    ['file:///etc/passwd', /Only http and https/],
    ['javascript:alert(1)', /Only http and https/],
    ['/file', /The page did not open|Download/],
  ])('refuses %s in words', async (url, message) => {
    const { run } = await pages.openOnce('/one');
    const { isError, text } = await run('navigate', { url });
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });

  it.each(['http://127.0.0.1:1/', 'CLOSED'])('says what the tab shows if %s does not open', async given => {
    const closed = await serve(() => {});
    await closed.close();
    const url = given.replace('CLOSED', closed.url);
    const { act, run, page } = await pages.open('/one');
    const { isError, text } = await run('navigate', { url });
    expect(isError).toBe(true);
    expect(text).toMatch(
      /The page did not open \(net::ERR_\w+\)\. The tab shows the browser's error page: go back\./,
    );
    expect(page.url()).toMatch(/^chrome-error:/);
    expect((await act('navigate', { url: 'back' })).text).toContain('One');
  });
});

describe('dialogs and downloads', () => {
  it('are answered as the policy says, and told of', async () => {
    const { act, ref, page, task } = await pages.open('/dialogs');
    await act('left_click', { target: await ref(/"Delete"/) });
    expect(await page.title()).toBe('false');
    expect(task.takeNotices()).toEqual([
      'A dialog (confirm) said "Delete it?" and was dismissed. To answer it otherwise, call next_dialog first, once for each dialog, and repeat the action.',
    ]);
    const { dialogs } = task.session;
    dialogs.policy = () => ({ accept: true, text: 'Ada', note: ' As asked for.' });
    await act('left_click', { target: await ref(/"Delete"/) });
    expect(await page.title()).toBe('true');
    await act('left_click', { target: await ref(/"Ask"/) });
    expect(await page.title()).toBe('Ada');
    expect(task.takeNotices().at(-1)).toBe(
      'A dialog (prompt) said "Your name?" and was accepted. As asked for.',
    );
    dialogs.policy = undefined;
    await act('left_click', { target: await ref(/"Ask"/) });
    expect(await page.title()).toBe('null');
    await act('left_click', { target: await ref(/"Save"/) });
    expect(await page.title()).toBe('went on');
    expect(task.takeNotices().at(-1)).toBe('A dialog (alert) said "Saved" and was accepted.');
  });

  it('are answered one by one, as many as were told of', async () => {
    const { act, ref, page, driver, task } = await pages.open('/dialogs');
    driver.nextAnswers.push({ accept: true }, { accept: true, text: 'Ada' });
    await act('left_click', { target: await ref(/"Twice"/) });
    expect(await page.title()).toBe('true Ada');
    driver.nextAnswers.push({ accept: true });
    await act('left_click', { target: await ref(/"Twice"/) });
    expect(await page.title()).toBe('true null');
    expect(task.takeNotices().at(-1)).toContain('call next_dialog first, once for each dialog');
  });

  it('leave dialogs to a suite that listens', async () => {
    const { act, ref, page, task } = await pages.open('/dialogs', { context: {} });
    page.on('dialog', dialog => void dialog.accept());
    await act('left_click', { target: await ref(/"Delete"/) });
    expect(await page.title()).toBe('true');
    expect(task.takeNotices()).toEqual([]);
  });

  it('tell of downloads', async () => {
    const { act, ref, task } = await pages.open('/dialogs');
    await act('left_click', { target: await ref(/"Download"/) });
    await expect.poll(() => task.takeNotices().join()).toContain('report.csv');
  });
});

describe('developer members', () => {
  it.each(['read_console', 'read_network', 'javascript_exec'])('%s is off by default', async member => {
    const { run } = await pages.openOnce('/one');
    expect((await run(member, { text: '1' })).isError).toBe(true);
  });

  it('read the console and the network since the last read', async () => {
    const { act } = await pages.open('/one', { members: { read_console: true, read_network: true } });
    await act('navigate', { url: '/console' });
    await expect
      .poll(async () => (await act('read_network')).text)
      .toMatch(/GET http.*\/two\?x=1 200 text\/html \d+ ms/);
    const { text } = await act('read_console');
    expect(text.split('\n')).toEqual(['log: hello 42', 'error: bad thing', 'uncaught: oops']);
    expect((await act('read_console')).text).toBe('(nothing since the last read)');
  });

  it('run a script and return its last value, or what it threw', async () => {
    const { act, run } = await pages.open('/two', { members: { javascript_exec: true } });
    expect((await act('javascript_exec', { text: 'const a = 20; a + document.title.length' })).text).toBe(
      '23',
    );
    expect((await act('javascript_exec', { text: '({ n: [1, 2] })' })).text).toContain('"n"');
    expect((await act('javascript_exec', { text: 'Promise.resolve("later")' })).text).toBe('later');
    expect(await run('javascript_exec', { text: 'nope()' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nope is not defined'),
    });
  });

  it('members can be switched off', async () => {
    const { run, tools } = await pages.open('/one', { members: { screenshot: false } });
    expect((await run('screenshot')).text).toContain('not permitted');
    expect(tools.toJSON().configs).toMatchObject({ screenshot: { enabled: false } });
  });
});

describe('the computer toolset', () => {
  it('drives the active tab by pictures and coordinates', async () => {
    const { compute, page, actions } = await pages.open('/two');
    expect((await compute('screenshot')).image).toBeTruthy();
    const box = (await page.getByText('Press').boundingBox())!;
    const coordinate = [Math.round(box.x + 10), Math.round(box.y + 10)];
    expect((await compute('mouse_move', { coordinate })).text).toBe('Moved the mouse.');
    expect((await compute('cursor_position')).text).toBe(`X=${coordinate[0]},Y=${coordinate[1]}`);
    expect((await compute('left_click', {})).text).toBe('Clicked.');
    expect(await page.title()).toBe('pressed');
    expect(actions.map(action => action.title)).toEqual([
      'take a screenshot',
      'move the mouse to button "Press"',
      'ask where the pointer is',
      'click button "Press"',
    ]);
  });

  it.each<[string, Record<string, never> | object]>([
    ['triple_click', { coordinate: [5, 5], text: 'shift' }],
    ['left_mouse_down', {}],
    ['left_click_drag', { start_coordinate: [5, 5], coordinate: [50, 50] }],
    ['scroll', { scroll_direction: 'down', scroll_amount: 3, coordinate: [50, 50] }],
    ['key', { text: 'Return' }],
    ['type', { text: 'words' }],
    ['zoom', { region: [0, 0, 100, 100] }],
  ])('serves %s', async (member, input) => {
    const { compute } = await pages.openOnce('/two');
    const { isError, text } = await compute(member, input as never);
    expect(isError, text).toBe(false);
  });

  it('sends invalid input back', async () => {
    const { compute } = await pages.open('/two');
    expect((await compute('left_click', { coordinate: [1] as never })).text).toContain(
      'Invalid input for left_click',
    );
    expect((await compute('left_click', { coordinate: at(1, 2) as never })).isError).toBe(true);
  });
});
