// The example site where no example task looks: those are played in tests/browser/claude/examples.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { startSite } from '../../../example-tasks/site/server.mjs';

async function started(options: { experiment?: number } = {}) {
  const site = await startSite({ port: 0, slowMs: 0, ...options });
  onTestFinished(() => site.close());
  return site;
}

test('two visitors do not meet, and what one types is escaped', async () => {
  const { url } = await started();
  const post = (path: string, body: object, cookie = '') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const added = await post('/api/cart', { slug: 'boston-fern', size: 'small', quantity: 2 });
  const cookie = added.headers.get('set-cookie')!.split(';')[0]!;
  const order = await post(
    '/api/orders',
    {
      ...{ name: '<b>{{id}}</b> $&', email: 'mira@northwind.example', address: 'Kade 4', city: 'Utrecht' },
      ...{ postcode: '3511 AX', country: 'NL', delivery: 'standard', terms: true },
    },
    cookie,
  );
  expect(order.status).toBe(201);
  const { location } = (await order.json()) as { location: string };
  const confirmed = await (await fetch(url + location, { headers: { cookie } })).text();
  expect(confirmed).toContain('Thank you, &lt;b&gt;{{id}}&lt;/b&gt;');
  expect((await fetch(url + location)).status).toBe(404);
});

test.each([
  [0.25, [4]],
  [0.75, [2, 3, 4]],
  [0, []],
])('of four visitors, a share of %d gets the new product page', async (experiment, numbers) => {
  const { url } = await started({ experiment });
  const pages = await Promise.all(
    [1, 2, 3, 4].map(async visitor => (await fetch(`${url}/products/monstera?visitor=${visitor}`)).text()),
  );
  const withoutName = pages.flatMap((page, index) => (page.includes('Add to basket') ? [] : [index + 1]));
  expect(withoutName).toEqual(numbers);
});

test('the command prints the port it took, serves, and ends on SIGTERM', async () => {
  const child = spawn(process.execPath, ['example-tasks/site/server.mjs', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const url = /^example site at (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1];
  expect((await fetch(`${url}/shop`)).status).toBe(200);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});
