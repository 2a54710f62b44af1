// The shop that the example tasks run against: `node example-tasks/site/server.mjs --port 4173`.
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { API_ROUTES } from './lib/api.mjs';
import { HttpError, sendJson } from './lib/http.mjs';
import { PAGE_ROUTES, showError } from './lib/pages.mjs';
import { Sessions } from './lib/sessions.mjs';
import { publicFile } from './lib/views.mjs';

/**
 * @typedef {object} Visit one request, with the session it belongs to
 * @property {import('./lib/http.mjs').Request} request
 * @property {import('./lib/http.mjs').Response} response
 * @property {import('./lib/sessions.mjs').Session} session
 * @property {URL} url
 * @property {(string | undefined)[]} params what the route's pattern captured
 * @property {number} slowMs how long the slow answers take
 * @property {number} experiment share of the visitors who get the new product page, 0 to 1
 *
 * @typedef {[method: string, path: RegExp, handle: (visit: Visit) => void | Promise<void>]} Route
 */

const DEFAULT_PORT = 4173;
const ROUTES = [...PAGE_ROUTES, ...API_ROUTES];
// Shows that no page needs anything from elsewhere, and keeps it so.
const POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'; form-action 'self'";

/** @param {Visit} visit */
async function answer(visit) {
  const { request, url } = visit;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const here = ROUTES.filter(([, path]) => path.test(url.pathname));
  const route = here.find(([allowed]) => allowed === method);
  if (!route) {
    if (here.length === 0) throw new HttpError(404, 'There is nothing at this address.');
    visit.response.setHeader('allow', here.map(([allowed]) => allowed).join(', '));
    throw new HttpError(405, `${request.method} is not possible here.`);
  }
  visit.params = (route[1].exec(url.pathname) ?? []).slice(1);
  await route[2](visit);
}

/**
 * @param {Visit} visit
 * @param {unknown} error
 */
function refuse(visit, error) {
  const known = error instanceof HttpError;
  const { request, response, url } = visit;
  const visitorLeft = !known && !request.complete;
  if (!known && !visitorLeft) console.error(error);
  if (visitorLeft || response.headersSent) return response.destroy();
  const status = known ? error.status : 500;
  const message = known ? error.message : 'Something broke on our side.';
  // What is left of a body that was too large would be read as the next request.
  if (status === 413) response.setHeader('connection', 'close');
  if (url.pathname.startsWith('/api/'))
    sendJson(response, status, { error: message, fields: known ? error.fields : undefined });
  else showError(visit, status, message);
}

/**
 * @param {import('./lib/http.mjs').Request} request
 * @param {import('./lib/http.mjs').Response} response
 * @param {Sessions} sessions
 * @param {{ slowMs: number, experiment: number }} options
 */
async function handle(request, response, sessions, options) {
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
  const path = request.url ?? '/';
  const url = URL.canParse(path, 'http://site') ? new URL(path, 'http://site') : undefined;
  if (!url || !path.startsWith('/')) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('Bad request');
    return;
  }
  const file = publicFile(url.pathname.slice(1));
  if (file) {
    response.writeHead(200, { 'content-type': file.type, 'cache-control': 'max-age=60' }).end(file.body);
    return;
  }
  /** @type {Visit} */
  const visit = { request, response, session: sessions.of(request, response), url, params: [], ...options };
  try {
    await answer(visit);
  } catch (error) {
    refuse(visit, error);
  }
}

/**
 * Starts the shop on 127.0.0.1.
 *
 * @param {{ port?: number, slowMs?: number, experiment?: number }} [options] `port` 0 takes a free one, default 4173;
 *   `slowMs`: how many milliseconds the slow answers take, default 1200; `experiment`: share of the visitors (`?visitor=1`)
 *   who get the new product page, default 0.25
 * @returns {Promise<{ url: string, close(): Promise<void> }>} `url` has no trailing slash
 * @throws where the port is taken
 */
export async function startSite({ port = DEFAULT_PORT, slowMs = 1200, experiment = 0.25 } = {}) {
  const sessions = new Sessions();
  const server = createServer((request, response) => {
    handle(request, response, sessions, { slowMs, experiment }).catch(error => {
      console.error(error);
      response.destroy();
    });
  });
  await /** @type {Promise<void>} */ (
    new Promise((done, fail) => {
      server.once('error', fail);
      server.listen(port, '127.0.0.1', done);
    })
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('example site: no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function fromCommandLine() {
  const { values } = parseArgs({ options: { port: { type: 'string' }, experiment: { type: 'string' } } });
  const share = Number(values.experiment ?? 0.25);
  if (!(share >= 0 && share <= 1))
    throw new Error(`--experiment must be a number from 0 to 1, not "${values.experiment}"`);
  const given = values.port ?? (process.env.PORT || String(DEFAULT_PORT));
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535)
    throw new Error(`the port must be a whole number from 0 to 65535, not "${given}"`);
  return { port: Number(given), experiment: share };
}

async function main() {
  const { port, experiment } = fromCommandLine();
  const site = await startSite({ port, experiment }).catch(error => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is taken; stop what listens there, or give another with --port`);
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => site.close());
  console.log(`example site at ${site.url}`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  main().catch(error => {
    console.error(`example site: ${error.message}`);
    process.exitCode = 1;
  });
