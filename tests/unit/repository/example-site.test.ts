import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
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

  test('memory is bounded: the session unused for longest is forgotten', async () => {
    const [fresh, old] = [new Visitor(), new Visitor()];
    for (const visitor of [fresh, old, fresh]) await visitor.send('POST', '/api/cart', FERN);
    for (let index = 0; index < 499; index += 1) await new Visitor().send('GET', '/api/products?q=none');
    expect((await fresh.send('GET', '/cart')).text).toContain('Your basket</h1>');
    expect((await old.send('GET', '/cart')).text).toContain('Your basket is empty');
  });
});

describe('bad input', () => {
  test.each([
    ['GET', '/nowhere', 404],
    ['GET', '/docs/nowhere', 404],
    ['GET', '/docs/..%2Flayout', 404],
    ['GET', '/products/toString', 404],
    ['GET', '/..%2f..%2fpackage.json', 404],
    ['GET', '/%E0%A4%A', 404],
    ['GET', '/order/confirmed?id=TL-1', 404],
    ['DELETE', '/pricing', 405],
    ['GET', '/api/orders', 405],
    ['GET', '/api/nowhere', 404],
    ['GET', '/trial?plan=toString', 303],
    ['GET', '/trial/welcome', 303],
    ['GET', '/checkout', 303],
  ])('%s %s is answered with %i', async (method, path, status) => {
    const answer = await new Visitor().send(method, path);
    expect(answer.status).toBe(status);
    if (status >= 400) expect(Boolean(answer.json)).toBe(path.startsWith('/api/'));
  });

  test.each([
    ['not JSON', '{', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['too much', JSON.stringify({ slug: 'x'.repeat(70_000) }), 413],
    ['an unknown product', '{"slug":"__proto__","size":"small","quantity":1}', 404],
    ['a size that the product has not', '{"slug":"olive-tree","size":"small","quantity":1}', 422],
  ])('POST /api/cart refuses %s', async (_, body, status) => {
    expect((await new Visitor().send('POST', '/api/cart', body)).status).toBe(status);
    expect((await new Visitor().send('GET', '/')).status).toBe(200);
  });

  test('a form of another site can not write', async () => {
    const plain = { 'content-type': 'text/plain' };
    expect((await new Visitor().send('POST', '/api/cart', JSON.stringify(FERN), plain)).status).toBe(415);
  });

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

  test('a page that is missing looks like the site', async () => {
    const { text } = await new Visitor().send('GET', '/nowhere');
    expect(text).toContain('<a href="/shop">Shop</a>');
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

  test('says what is wrong with a port', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    for (const [given, message] of [
      ['http', 'must be a whole number'],
      ['70000', 'must be a whole number'],
      [String(port), 'is taken'],
    ]) {
      const child = start('--port', given!);
      const [line] = await once(createInterface(child.stderr), 'line');
      expect(line).toContain(message);
      if (child.exitCode === null) await once(child, 'exit');
      expect(child.exitCode).toBe(1);
    }
    blocker.close();
  });

  test('says what is wrong with a share', async () => {
    const child = start('--port', '0', '--experiment', 'most');
    const [line] = await once(createInterface(child.stderr), 'line');
    expect(line).toContain('--experiment must be a number from 0 to 1, not "most"');
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(1);
  });
});
