import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite } from '../../../example-tasks/site/server.mjs';

let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startSite({ port: 0, slowMs: 0 });
});
afterAll(() => site.close());

/** A visitor with a cookie jar of one cookie, as a browser context is. */
class Visitor {
  cookie = '';

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(site.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body:
        body === undefined || typeof body === 'string' || body instanceof URLSearchParams
          ? body
          : JSON.stringify(body),
    });
    const set = response.headers.get('set-cookie');
    if (set) this.cookie = set.split(';')[0]!;
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }
}

const FERN = { slug: 'boston-fern', size: 'small', quantity: 2 };
const ADDRESS = {
  name: 'Mira Okafor',
  email: 'mira@northwind.example',
  address: 'Kade 4',
  city: 'Utrecht',
  postcode: '3511 AX',
  country: 'NL',
  delivery: 'standard',
  terms: true,
};

describe('catalogue', () => {
  test.each([
    ['', 12],
    ['?q=fern', 3],
    ['?q=fern&category=plants', 2],
    ['?light=low&petSafe=true', 3],
    ['?q=nothing-like-it', 0],
    ['?light=constructor&category=bogus&sort=__proto__', 12],
  ])('GET /api/products%s finds %i', async (query, count) => {
    const { json } = await new Visitor().send('GET', `/api/products${query}`);
    expect(json.products).toHaveLength(count);
  });

  test('is sorted by price', async () => {
    const { json } = await new Visitor().send('GET', '/api/products?light=low&sort=price-desc');
    expect(json.products.map(({ slug }: { slug: string }) => slug)).toEqual([
      'cast-iron-plant',
      'calathea',
      'snake-plant',
      'parlour-palm',
    ]);
  });

  test('estimates a delivery, and refuses what is no postcode', async () => {
    const visitor = new Visitor();
    expect((await visitor.send('GET', '/api/delivery?postcode=1012%20ab')).json.text).toContain('1012 AB');
    expect((await visitor.send('GET', '/api/delivery?postcode=%3Cb%3E')).status).toBe(422);
  });
});

describe('basket and checkout', () => {
  test('an order takes the basket and answers 201 with the page that confirms it', async () => {
    const visitor = new Visitor();
    expect((await visitor.send('POST', '/api/cart', FERN)).json).toMatchObject({ count: 2 });
    const order = await visitor.send('POST', '/api/orders', ADDRESS);
    expect(order.status).toBe(201);
    const confirmed = await visitor.send('GET', order.json.location);
    expect(confirmed.text).toContain('Thank you, Mira');
    expect(confirmed.text).toContain('2 × Boston fern, Small');
    expect((await visitor.send('POST', '/api/orders', ADDRESS)).status).toBe(409);
  });

  test('a form with mistakes is refused with a sentence for each field', async () => {
    const visitor = new Visitor();
    await visitor.send('POST', '/api/cart', FERN);
    const { status, json } = await visitor.send('POST', '/api/orders', {
      ...ADDRESS,
      email: 'mira',
      terms: 'on',
    });
    expect(status).toBe(422);
    expect(Object.keys(json.fields)).toEqual(['email', 'terms']);
  });

  test('quantities are changed and stay within bounds', async () => {
    const visitor = new Visitor();
    await visitor.send('POST', '/api/cart', FERN);
    const line = '/api/cart/boston-fern.small';
    expect((await visitor.send('PATCH', line, { quantity: 5 })).json.count).toBe(5);
    for (const quantity of [0, 21, 1.5, '3', null]) {
      expect((await visitor.send('PATCH', line, { quantity })).status).toBe(422);
    }
    expect((await visitor.send('POST', '/api/cart', { ...FERN, quantity: 20 })).json.count).toBe(20);
    expect((await visitor.send('DELETE', line)).status).toBe(204);
    expect((await visitor.send('DELETE', line)).status).toBe(404);
    expect((await visitor.send('GET', '/cart')).text).toContain('Your basket is empty');
  });

  test('what visitors type is escaped', async () => {
    const visitor = new Visitor();
    await visitor.send('POST', '/api/cart', FERN);
    const { json } = await visitor.send('POST', '/api/orders', { ...ADDRESS, name: '<b>{{id}}</b> $&' });
    const page = (await visitor.send('GET', json.location)).text;
    expect(page).toContain('Thank you, &lt;b&gt;{{id}}&lt;/b&gt;');
  });
});

describe('sessions', () => {
  test('two visitors do not meet', async () => {
    const [one, other] = [new Visitor(), new Visitor()];
    await one.send('POST', '/api/cart', FERN);
    const { json } = await one.send('POST', '/api/orders', ADDRESS);
    await one.send('POST', '/api/consent', { choice: 'all' });
    expect((await other.send('GET', json.location)).status).toBe(404);
    expect((await one.send('GET', '/')).text).toContain('class="consent answered"');
    expect((await other.send('GET', '/')).text).toContain('class="consent asking"');
  });

  test('log-in opens the account, log-out closes it, a wrong password does neither', async () => {
    const visitor = new Visitor();
    const form = (password: string) => new URLSearchParams({ user: 'Mira', password });
    const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await visitor.send('GET', '/account')).headers.get('location')).toBe('/login');
    expect((await visitor.send('POST', '/login', form('wrong'), asForm)).status).toBe(401);
    const entered = await visitor.send('POST', '/login', form('violet-garden-7'), asForm);
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/account']);
    expect((await visitor.send('GET', '/account')).text).toContain('Welcome back, Mira');
    const settings = { reminders: true, day: 'friday', units: 'celsius' };
    expect((await visitor.send('PUT', '/api/account/settings', settings)).status).toBe(200);
    expect((await visitor.send('GET', '/account')).text).toContain('<option value="friday" selected>');
    await visitor.send('POST', '/logout', new URLSearchParams(), asForm);
    expect((await visitor.send('PUT', '/api/account/settings', settings)).status).toBe(401);
  });
});

describe('the experiment', () => {
  test.each([
    [0.25, [4]],
    [0.75, [2, 3, 4]],
    [0, []],
  ])('of four visitors, a share of %d gets the new product page', async (experiment, numbers) => {
    const other = await startSite({ port: 0, experiment });
    const pages = await Promise.all(
      [1, 2, 3, 4].map(async visitor =>
        (await fetch(`${other.url}/products/monstera?visitor=${visitor}`)).text(),
      ),
    );
    await other.close();
    const withoutName = pages.flatMap((page, index) => (page.includes('Add to basket') ? [] : [index + 1]));
    expect(withoutName).toEqual(numbers);
  });
});

describe('command line', () => {
  const start = (...args: string[]) =>
    spawn(process.execPath, ['example-tasks/site/server.mjs', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test('prints the port it took, serves, and ends on SIGTERM', async () => {
    const child = start('--port', '0');
    const [line] = await once(createInterface(child.stdout), 'line');
    const url = /^example site at (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1];
    expect((await fetch(`${url}/shop`)).status).toBe(200);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});
