// The broken variants of the example site, each on its own port, in front of one intact site.
import { request as ask, createServer } from 'node:http';
import { startSite } from '../../example-tasks/site/server.mjs';

/**
 * @param {readonly import('./variants.mjs').Variant[]} variants
 * @returns {Promise<{ whole: string, urls: Map<string, string>, unmet(): string[], close(): Promise<void> }>} `urls` by variant;
 *   `unmet`: variants whose change was never applied, since the site has changed
 */
export async function startVariants(variants) {
  const whole = await startSite({ port: 0, slowMs: 300 });
  const servers = [];
  const urls = new Map();
  const met = new Set();
  for (const variant of variants) {
    const server = createServer(
      (request, response) => void answer(whole.url, variant, request, response, met),
    );
    await new Promise(done => server.listen(0, '127.0.0.1', () => done(undefined)));
    urls.set(variant.id, `http://127.0.0.1:${server.address().port}`);
    servers.push(server);
  }
  return {
    whole: whole.url,
    urls,
    unmet: () => variants.filter(each => each.change && !met.has(each.id)).map(({ id }) => id),
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await whole.close();
    },
  };
}

async function answer(upstream, variant, request, response, met) {
  const path = request.url ?? '/';
  if (path === '/variant.js')
    return response.writeHead(200, { 'content-type': 'text/javascript' }).end(variant.script ?? '');
  const own = variant.answer?.(request.method, path);
  if (own?.delayMs) await new Promise(done => setTimeout(done, own.delayMs).unref());
  if (own?.status) {
    const headers = own.location
      ? { location: own.location }
      : { 'content-type': path.startsWith('/api') ? 'application/json' : 'text/html' };
    request.resume();
    return response.writeHead(own.status, headers).end(own.body ?? '');
  }
  const headers = { ...request.headers, 'accept-encoding': 'identity' };
  const forwarded = ask(`${upstream}${path}`, { method: request.method, headers }, async found => {
    const parts = [];
    for await (const part of found) parts.push(part);
    let body = Buffer.concat(parts);
    const type = String(found.headers['content-type'] ?? '');
    if (/html|javascript/.test(type)) body = Buffer.from(changed(variant, path, body.toString(), type, met));
    // The site's policy would block the script of a variant.
    const { 'content-security-policy': _, 'content-length': __, ...kept } = found.headers;
    response.writeHead(found.statusCode ?? 500, kept).end(body);
  });
  forwarded.on('error', () => response.destroy());
  request.pipe(forwarded);
}

function changed({ id, change = [], script }, path, text, type, met) {
  let made = text;
  for (const [where, from, to] of change) {
    if (!where.test(path) || !made.includes(from)) continue;
    made = made.replaceAll(from, to);
    met.add(id);
  }
  // As a module, it runs after the page's own.
  return script && type.includes('html')
    ? made.replace('</body>', '<script type="module" src="/variant.js"></script></body>')
    : made;
}
