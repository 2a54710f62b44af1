// What an assertion says of what it finds, on a stand-in for the page. How Playwright finds it: tests/browser.
import type { Locator, Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import type { NetworkEvent } from '../../../src/data/record';
import { assertionTitle, checkAssertion } from '../../../src/grading/assertions';
import { whyInvalid } from '../../../src/grading/dom';
import type { Assertion, DomAssertion, NetworkAssertion } from '../../../src/spec';

/** Null if it holds. Without a bound of time it is one look, or more if the machine was too busy for it. */
async function reasonOf(
  assertion: Assertion,
  page: object,
  network: readonly NetworkEvent[] = [],
  timeoutMs?: number,
): Promise<string | null> {
  const state = { page: { isClosed: () => false, ...page } as Page, network, timeoutMs: timeoutMs ?? 20 };
  const reason = await checkAssertion(assertion, state).then(
    () => null,
    (error: Error) => `${error.name}: ${error.message}`.replace('AssertionFailure: ', ''),
  );
  const isLate = timeoutMs === undefined && reason === UNRESPONSIVE;
  return isLate ? reasonOf(assertion, page, network, 5_000) : reason;
}
const UNRESPONSIVE =
  'the page did not respond: it was busy, its script never ends, or the address to which it goes does not answer';

test.each<[Assertion, string]>([
  [{ type: 'url', pattern: '**/cart' }, 'url matches "**/cart"'],
  [{ type: 'dom', selector: 'h1', state: 'absent' }, '"h1" is absent'],
  [{ type: 'dom', selector: 'h1', state: 'text', text: 'Thanks' }, '"h1" contains "Thanks"'],
  [{ type: 'network', urlPattern: '**/orders' }, 'a request to "**/orders" was sent'],
  [
    { type: 'network', urlPattern: '**/orders', method: 'POST', status: '2xx' },
    'POST "**/orders" was sent and answered with 2xx',
  ],
])('%j is called %s', (assertion, title) => expect(assertionTitle(assertion)).toBe(title));

describe('url', () => {
  const at = (url: string) => ({ url: () => url });

  test('of the page as it is when it is looked at', async () => {
    const pattern = '**/thanks';
    expect(await reasonOf({ type: 'url', pattern }, at('http://shop/thanks'))).toBeNull();
    expect(await reasonOf({ type: 'url', pattern }, at('http://shop/cart'))).toBe(
      'the URL http://shop/cart does not match "**/thanks"',
    );
    let looks = 0;
    const late = { url: () => (looks++ ? 'http://shop/thanks' : 'http://shop/cart') };
    expect(await reasonOf({ type: 'url', pattern }, late, [], 5_000)).toBeNull();
  });

  test('of a closed tab is that it is closed; what was sent is still known', async () => {
    const closed = { isClosed: () => true };
    expect(await reasonOf({ type: 'url', pattern: '**' }, closed)).toBe(
      'no tab was open when the agent ended',
    );
    const sent = [event({})];
    expect(await reasonOf({ type: 'network', urlPattern: '**' }, closed, sent)).toBeNull();
  });
});

function event(more: Partial<NetworkEvent>): NetworkEvent {
  const url = 'http://shop/api/orders';
  return { url, method: 'POST', status: 201, resourceType: 'fetch', startedAtMs: 0, ...more };
}

describe('network', () => {
  test('of a flood the methods are compared first, and each URL once', async () => {
    let matched = 0;
    const counted = (method: string): NetworkEvent => ({
      ...event({ method }),
      get url() {
        matched++;
        return 'http://shop/';
      },
    });
    const assertion = { type: 'network', urlPattern: '**/orders', method: 'POST' } as const;
    expect(await reasonOf(assertion, {}, [counted('GET'), counted('POST')], 500)).toBe(NONE);
    expect(matched).toBe(1);
  });

  const NONE = 'no request matched POST "**/orders"';
  const ANY_NONE = 'no request matched a request to "**/orders"';
  const ANSWERED = (how: string) => `POST "**/orders" was sent, but answered with ${how}`;
  test.each<[string, Partial<NetworkAssertion>, Partial<NetworkEvent>[], string | null]>([
    ['none', {}, [], NONE],
    ['one', {}, [{}], null],
    ['one of several', {}, [{ url: 'http://shop/' }, {}], null],
    ['others', {}, [{ url: 'http://shop/' }, { method: 'GET' }], NONE],
    ['others, of any method', { method: undefined }, [{ url: 'http://shop/' }], ANY_NONE],
    ['any method', { method: undefined }, [{ method: 'GET' }], null],
    [
      'no answer, where none is asked for',
      {},
      [{ status: null, failure: 'net::ERR_UNSAFE_PORT' }, { status: null }],
      'POST "**/orders" was made, but no server answered it (net::ERR_UNSAFE_PORT, no answer)',
    ],
    [
      'the content of another scheme',
      {},
      [{ url: 'blob:http://shop/1#/api/orders' }],
      /no server answered it/,
    ],
    [
      'one that the guard refused',
      {},
      [{ status: null, failure: 'net::ERR_ABORTED', answeredBy: 'guard' }],
      'POST "**/orders" was refused by the guard: add shop to allowedDomains',
    ],
    [
      'one that the guard refused, with a status',
      { status: '2xx' },
      [{ status: 204, answeredBy: 'guard' }],
      /add shop/,
    ],
    [
      'one that the program answered',
      {},
      [{ answeredBy: 'program' }],
      'POST "**/orders" was made, but the agent\'s program answered it, not the server',
    ],
    [
      'one that the browser itself redirected',
      {},
      [{ status: null, answeredBy: 'browser' }],
      'POST "**/orders" was made, but the browser answered it, not the server',
    ],
    ['one that the server answered after a refusal', {}, [{ answeredBy: 'guard' }, {}], null],
    [
      'never, but one that a service worker may have let through',
      { never: true },
      [{ status: null, keptByWorker: true }],
      /is not answered yet/,
    ],
    [
      'once, but another may have been let through',
      { count: 1 },
      [{}, { status: null, keptByWorker: true, failure: 'net::ERR_ABORTED' }],
      /2 times, not once \(of 1 the answer is unknown\)/,
    ],
    ['none but one that the guard kept from leaving', { never: true }, [{ answeredBy: 'guard' }], null],
    ['a status', { status: 201 }, [{}], null],
    ['another status', { status: 200 }, [{}, { status: 500 }, {}], ANSWERED('201, 500 instead of 200')],
    ['the status of another request', { status: 201 }, [{ url: 'http://shop/' }, { status: 500 }], /500/],
    ['a class', { status: '2xx' }, [{ status: 299 }], null],
    ['another class', { status: '2xx' }, [{ status: 300 }], /answered with 300 instead of 2xx/],
    ['no answer', { status: '2xx' }, [{ status: null }], ANSWERED('no answer instead of 2xx')],
    [
      'a failure',
      { status: '2xx' },
      [{ status: null, failure: 'net::ERR' }],
      /answered with net::ERR instead/,
    ],
    [
      'one that a service worker answered',
      {},
      [{ keptByWorker: true }],
      'POST "**/orders" was made, but a service worker answered it, not the server',
    ],
    ['one that the server answered, too', {}, [{ keptByWorker: true }, {}], null],
    ['of these, the status of the server', { status: 200 }, [{ keptByWorker: true, status: 200 }, {}], /201/],
  ] as never)('%s', async (_, more, events, expected) => {
    const assertion = { type: 'network' as const, urlPattern: '**/orders', method: 'POST' as const, ...more };
    const reason = await reasonOf(assertion, {}, events.map(event));
    if ((expected as unknown) instanceof RegExp) expect(reason).toMatch(expected!);
    else expect(reason).toBe(expected);
  });

  test('a request that comes while it is waited for counts', async () => {
    const network: NetworkEvent[] = [];
    setTimeout(() => network.push(event({})), 5);
    expect(await reasonOf({ type: 'network', urlPattern: '**/orders' }, {}, network, 5_000)).toBeNull();
  });
});

interface Element {
  text?: string;
  visible?: boolean;
}

/** A page where the assertion's selector finds these, and whose body has this text. */
function pageWith(elements: readonly Element[], { body = 'Shop', url = 'http://shop/', pictures = 0 } = {}) {
  const found = (all: readonly Element[]) =>
    ({
      count: async () => all.length,
      filter: ({ visible, hasText }: { visible?: boolean; hasText?: RegExp }) =>
        found(all.filter(one => (visible ? one.visible !== false : hasText!.test(one.text ?? '')))),
      nth: (index: number) => ({ textContent: async () => all[index]!.text ?? null }),
      // What the body shows.
      locator: () => found(body.trim() ? [{ text: body }] : []),
      page: () => ({ locator: () => found([]) }),
      // None is of the page's head.
      and: () => ({ elementHandles: async () => [] }),
    }) as unknown as Locator;
  const matching = (css: string) => {
    if (css === 'css=body') return [{}];
    return css.startsWith('css=img') ? Array.from({ length: pictures }, () => ({})) : elements;
  };
  return { url: () => url, locator: (css: string) => found(matching(css)) };
}

describe('dom', () => {
  const [seen, hidden] = [{ text: 'Cart' }, { text: 'Cart', visible: false }];
  const NOTHING = 'nothing matches "h1"';
  test.each<[DomAssertion['state'], Element[], string | null]>([
    ['visible', [], NOTHING],
    ['visible', [seen], null],
    ['visible', [hidden, seen], null],
    ['visible', [hidden], '"h1" matches 1, but none is visible'],
    ['attached', [], NOTHING],
    ['attached', [hidden], null],
    ['hidden', [], `${NOTHING}: \`hidden\` needs a match`],
    ['hidden', [hidden], null],
    ['hidden', [hidden, seen], '"h1" is visible (1 of 2)'],
    ['absent', [], null],
    ['absent', [hidden, hidden], '"h1" still matches 2'],
    ['text', [], NOTHING],
    ['text', [{ text: 'no' }, { text: 'Your Order 12' }], null],
    ['text', [{ text: ' Your\n order ' }], '"h1" does not contain "Order"; it says "Your order"'],
    [
      'text',
      ['x'.repeat(81), 'b', undefined, 'd'].map(text => (text === undefined ? {} : { text })),
      `"h1" does not contain "Order"; it says "${'x'.repeat(79)}…", "b", ""`,
    ],
  ])('%s, of %j', async (state, elements, expected) => {
    const assertion = { type: 'dom' as const, selector: 'h1', state, text: 'Order' };
    expect(await reasonOf(assertion, pageWith(elements))).toBe(expected);
  });

  const ABSENT = { type: 'dom', selector: 'h1', state: 'absent' } as const;
  test.each<[string, Parameters<typeof pageWith>[1], string | null]>([
    ['a blank page', { url: 'about:blank' }, 'the page is blank (about:blank)'],
    ['an error page', { url: 'chrome-error://chromewebdata/' }, 'the page failed to load'],
    ["another browser's", { url: 'about:neterror?e=dns' }, 'the page failed to load'],
    ['nothing rendered', { body: ' \n' }, 'the page rendered no content (http://shop/)'],
    ['a picture', { body: '', pictures: 1 }, null],
  ])('absent says nothing of %s', async (_, page, why) => {
    const reason = why && `"h1" is absent, but that says nothing: ${why}`;
    expect(await reasonOf(ABSENT, pageWith([], page))).toBe(reason);
  });

  test('a selector is CSS: Playwright chains others by >>, which a quoted text may hold', async () => {
    const selecting = (selector: string) =>
      whyInvalid({ ...ABSENT, selector }, pageWith([]) as unknown as Page);
    expect(await selecting('h1 >> text=x')).toBe('"h1 >> text=x" is not a valid CSS selector: ">>"');
    expect(await selecting(`[title="a >> b"]`)).toBeNull();
    expect(await selecting(`[title='a \\' >> b']`)).toBeNull();
    expect(await selecting(`[title="a"] >> b`)).toMatch(/not a valid CSS selector/);
  });

  test.each([
    [
      '\u001b[31mlocator.count: Unexpected token in selector\u001b[39m\n  at',
      '"h1" is not a valid CSS selector: Unexpected token in selector',
    ],
    ['Page crashed', null],
  ])('before a trial, only an error of the selector counts: %j', async (message, expected) => {
    const locator = () => ({ count: () => Promise.reject(new Error(message)) });
    expect(await whyInvalid(ABSENT, { locator } as unknown as Page)).toBe(expected);
  });

  test.each([
    ['Page crashed', 'the page has crashed, or its tab was closed'],
    ['Target page has been closed', 'the page has crashed, or its tab was closed'],
    ['Something else', UNRESPONSIVE],
  ])('an error at a look: %j', async (message, expected) => {
    const locator = () => ({ count: () => Promise.reject(new Error(message)) });
    expect(await reasonOf({ ...ABSENT, state: 'attached' }, { locator })).toBe(expected);
  });

  test('a page that navigates at the first look or later is looked at again', async () => {
    let looks = 0;
    const count = async () => {
      if (looks++ < 2)
        throw new Error('Execution context was destroyed, most likely because of a navigation');
      return 1;
    };
    const page = { locator: () => ({ count }) };
    expect(await reasonOf({ ...ABSENT, state: 'attached' }, page)).toBeNull();
  });
});
