// The broken variants of a site, each on its own port, in front of the intact one.
import { request as ask, createServer } from 'node:http';

/**
 * @param {readonly import('../diagnosis.mjs').Site[]} sites
 * @returns {Promise<{ urls: Map<string, string>, unmet(): string[], close(): Promise<void> }>} `urls` by variant;
 *   `unmet`: variants whose change was never applied, since the site has changed
 */
export async function startVariants(sites) {
  const servers = [];
  const urls = new Map();
  const met = new Set();
  const broken = sites.flatMap(({ url, variants }) => variants.map(variant => ({ url, variant })));
  for (const { url, variant } of broken) {
    const server = createServer((request, response) => void answer(url, variant, request, response, met));
    await new Promise(done => server.listen(0, '127.0.0.1', () => done(undefined)));
    urls.set(variant.id, `http://127.0.0.1:${server.address().port}`);
    servers.push(server);
  }
  return {
    urls,
    unmet: () => broken.flatMap(({ variant: { id, change } }) => (change && !met.has(id) ? [id] : [])),
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
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
