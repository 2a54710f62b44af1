import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { LAYOUT_LIMIT_MS, LIMIT_MS } from '../../../src/browser/session/settling';
import { harness, html, quickest } from '../../support/claude-harness';

const held: ServerResponse[] = [];
let asked = () => {};

/** Resolves when the next held request arrives. */
function nextRequest(): Promise<void> {
  return new Promise(resolve => {
    asked = resolve;
  });
}

function release(body: string, type = 'text/html'): void {
  for (const response of held.splice(0)) {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  }
}

const pages = harness({
  '/': html(
    `<button onclick="load()">Load</button><button onclick="poll()">Poll</button><button onclick="stream()">Stream</button> <button onclick="stream('?300')">Late answer</button>
    <button onclick="chain()">Chain</button><button>Nothing</button><a href="/held">Slow page</a>
    <button onclick="box.classList.add('open')">Open</button><button onclick="box.style.animation='spin 1s infinite'">Spin</button>
    <button onclick="setTimeout(() => location = '/there')">Leave</button>
    <div id="box" style="transition: transform .4s">box</div>
    <style>.open{transform:translateX(200px)} @keyframes spin{to{transform:rotate(1turn)}}</style>
    <script>
      const load = async () => { const r = await fetch('/held'); await r.text(); document.title = 'loaded'; };
      const poll = () => { fetch('/endless?' + Math.random()).catch(() => {}); document.title = 'polling'; };
      const stream = async (delay = '') => { await fetch('/chunks' + delay); document.title = 'streaming'; };
      const chain = async () => { await fetch('/quick'); await fetch('/quick'); await fetch('/quick'); document.title = 'chained'; };
    </script>`,
    'start',
  ),
  '/held': (_, response) => {
    held.push(response);
    asked();
  },
  '/there': html('<h1>There</h1>', 'There'),
  '/endless': () => {},
  '/quick': html('quick'),
  '/chunks': (request, response) => {
    const begin = () => {
      response.writeHead(200);
      response.write('first');
    };
    const [, delay] = request.url!.split('?');
    if (delay) setTimeout(begin, Number(delay));
    else begin();
  },
});

/** Acts while a request is held, and tells whether the action was still waiting for it. */
async function whileHeld(button: RegExp, answer: string) {
  const { act, ref, page } = await pages.open('/');
  const target = await ref(button);
  const request = nextRequest();
  let settled = false;
  const acting = act('left_click', { target }).then(() => {
    settled = true;
  });
  await request;
  // Time enough for an action that waits for nothing.
  for (let count = 0; count < 50; count++) await fetch(`${pages.origin()}/quick`);
  const waited = !settled;
  release(answer);
  await acting;
  return { waited, page };
}

describe('after an action', () => {
  it('waits for the requests that it caused, and for what they change', async () => {
    const { waited, page } = await whileHeld(/"Load"/, 'data');
    expect(waited).toBe(true);
    expect(await page.title()).toBe('loaded');
  });

  it('waits for the page that it opened', async () => {
    const { waited, page } = await whileHeld(/"Slow page"/, html('here', 'Arrived'));
    expect(waited).toBe(true);
    expect(await page.title()).toBe('Arrived');
  });

  it.each([
    ['requests in a chain', /"Chain"/, 'chained'],
    ['a navigation by script', /"Leave"/, 'There'],
  ])('waits for %s', async (_, button, title) => {
    const { act, ref, page } = await pages.open('/');
    await act('left_click', { target: await ref(button) });
    expect(await page.title()).toBe(title);
  });

  it('waits for a transition to end, and not for an animation that never does', async () => {
    const { act, ref, page } = await pages.open('/');
    await act('left_click', { target: await ref(/"Open"/) });
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    const target = await ref(/"Spin"/);
    await quickest(LAYOUT_LIMIT_MS, async () => () => act('left_click', { target }));
    expect(await page.evaluate('document.getAnimations().length')).toBe(1);
  });

  it('waits in bounds for a request that never ends, and once only', async () => {
    const { act, ref } = await pages.open('/');
    const target = await ref(/"Poll"/);
    const before = performance.now();
    await act('left_click', { target });
    expect(performance.now() - before).toBeGreaterThan(LIMIT_MS * 0.9);
    await quickest(LIMIT_MS / 2, async () => () => act('left_click', { target }));
  });

  it.each([/"Stream"/, /"Late answer"/])('does not wait for the end of a stream: %s', async button => {
    await quickest(LIMIT_MS, async () => {
      const { act, ref, page } = await pages.open('/');
      const target = await ref(button);
      return async () => {
        await act('left_click', { target });
        expect(await page.title()).toBe('streaming');
      };
    });
  });

  it('does not wait for requests of before', async () => {
    await quickest(LIMIT_MS / 2, async () => {
      const { act, ref, page } = await pages.open('/');
      await page.evaluate("void fetch('/endless')");
      const target = await ref(/"Nothing"/);
      return () => act('left_click', { target });
    });
  });
});

describe('a page that does not answer', () => {
  it('does not hold the model up, and is told as that', async () => {
    const { act, ref, run, driver } = await pages.open('/');
    await act('left_click', { target: await ref(/"Slow page"/) });
    expect(driver.notes.splice(0)).toEqual([expect.stringContaining('still loading')]);
    await act('navigate', { url: '/there' });
    expect((await run('read_page')).text).toContain('There');
  });
});
