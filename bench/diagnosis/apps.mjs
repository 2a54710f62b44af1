// Real applications from the registries, installed once into bench/.cache and started again for each run.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { BENCH } from '../lib/packages.mjs';
import { start, temporary } from '../lib/processes.mjs';

const CACHE = join(BENCH, '.cache/apps');
const PYTHON = [
  ...['ihatemoney==7.2.1', 'fava==1.30.16', 'beancount==3.2.3', 'radicale==3.9.0'],
  ...['Trac==1.6', 'sqlite-web==0.8.2'],
];
const NODE = ['@actual-app/web@26.9.0', 'swagger-ui-dist@5.35.0'];
const PATIENCE_MS = 30_000;

const python = name => join(CACHE, 'python/bin', name);
const packaged = (name, path) => join(CACHE, 'node_modules', name, path);

/** @returns {string | null} why they could not be installed */
export function installApps() {
  const wanted = [...PYTHON, ...NODE].join('\n');
  const marker = join(CACHE, 'installed');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return null;
  console.log('bench: installing the applications (190 MB)');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const steps = [
    ['python3', '-m', 'venv', join(CACHE, 'python')],
    [python('pip'), 'install', '--quiet', '--disable-pip-version-check', ...PYTHON],
    ['npm', 'install', '--prefix', CACHE, ...quiet, ...NODE],
  ];
  for (const [command = '', ...args] of steps) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) return `${command} ${args.join(' ')}: ${error ?? stderr.trim().split('\n').at(-1)}`;
  }
  writeFileSync(marker, wanted);
  return null;
}

/**
 * What each needs to run: files in its folder, commands that prepare it, and one that starts it.
 * @type {Record<string, (port: number, folder: string) => { files?: Record<string, string>, setup?: string[][], command: string[], env?: Record<string, string> }>}
 */
const COMMANDS = {
  ihatemoney: (port, folder) => ({
    files: {
      'ihatemoney.cfg': `SQLALCHEMY_DATABASE_URI = 'sqlite:///${folder}/ihatemoney.sqlite'
SECRET_KEY = 'bench'
SESSION_COOKIE_SECURE = False
MAIL_SUPPRESS_SEND = True
`,
    },
    command: [python('ihatemoney'), 'run', '--port', `${port}`],
    env: { IHATEMONEY_SETTINGS_FILE_PATH: join(folder, 'ihatemoney.cfg') },
  }),
  fava: (port, folder) => ({
    files: {
      'household.beancount': `option "title" "Household"
option "operating_currency" "EUR"
2026-01-01 open Assets:Checking
2026-01-01 open Assets:Savings
2026-01-01 open Expenses:Food
2026-01-01 open Expenses:Rent
2026-01-01 open Income:Salary
2026-01-02 * "Harbour Ltd" "Salary"
  Income:Salary  -2800.00 EUR
  Assets:Checking
2026-01-03 * "Landlord" "Rent"
  Expenses:Rent  900.00 EUR
  Assets:Checking
2026-01-04 * "Corner shop" "Groceries"
  Expenses:Food  43.20 EUR
  Assets:Checking
`,
    },
    command: [python('fava'), '--port', `${port}`, join(folder, 'household.beancount')],
  }),
  radicale: (port, folder) => ({
    command: [
      ...[python('radicale'), '--config', '', '--hosts', `127.0.0.1:${port}`, '--auth-type', 'none'],
      ...['--storage-filesystem-folder', folder],
    ],
  }),
  trac: (port, folder) => {
    const site = join(folder, 'site');
    const admin = (...args) => [python('trac-admin'), site, ...args];
    return {
      setup: [
        admin('initenv', 'Harbour', 'sqlite:db/trac.db'),
        admin('permission', 'add', 'anonymous', 'TICKET_CREATE'),
      ],
      command: [python('tracd'), '--hostname', '127.0.0.1', '--port', `${port}`, '--single-env', site],
    };
  },
  sqliteWeb: (port, folder) => {
    const file = join(folder, 'library.sqlite');
    const tables = `create table book (id integer primary key, title text, author text, year integer);
insert into book (title, author, year) values ('Dune', 'Herbert', 1965), ('Emma', 'Austen', 1815), ('Solaris', 'Lem', 1961);
create table member (id integer primary key, name text, city text);
insert into member (name, city) values ('Mira', 'Ghent'), ('Noor', 'Oslo');`;
    const make = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])';
    return {
      setup: [[python('python'), '-c', make, file, tables]],
      command: [python('sqlite_web'), '--no-browser', '--port', `${port}`, file],
    };
  },
};

/** @returns {Promise<{ urls: Record<string, string>, stop(): Promise<void> }>} their URLs by name */
export async function startApps() {
  const servers = [createServer(serveActual), createServer(serveClinic)];
  const [actual, swagger] = await Promise.all(servers.map(listening));
  const urls = { actual: `http://127.0.0.1:${actual}`, swagger: `http://127.0.0.1:${swagger}` };
  const children = [];
  const stop = async () => {
    await Promise.all(children.map(child => child.stop()));
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
  for (const [name, make] of Object.entries(COMMANDS)) {
    const folder = temporary(name);
    const port = await freePort();
    const { files = {}, setup = [], command, env } = make(port, folder);
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    for (const [program = '', ...args] of setup) execFileSync(program, args, { stdio: 'ignore' });
    const [program = '', ...args] = command;
    const child = start(program, args, { cwd: folder, env });
    children.push(child);
    urls[name] = `http://127.0.0.1:${port}`;
    if (await answers(urls[name])) continue;
    await stop();
    throw new Error(`${name} does not start:\n${child.output()}`);
  }
  // It makes its demonstration project when that is first asked for.
  await fetch(`${urls.ihatemoney}/demo`);
  await seed(urls.radicale);
  return { urls, stop };
}

/** A calendar that can be edited. */
async function seed(url) {
  const properties = '<resourcetype><collection/><C:calendar/></resourcetype><displayname>Work</displayname>';
  const body = `<mkcol xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>${properties}</prop></set></mkcol>`;
  const headers = { authorization: `Basic ${btoa('mira:x')}` };
  const { status } = await fetch(`${url}/mira/work/`, { method: 'MKCOL', headers, body });
  if (status !== 201) throw new Error(`radicale made no calendar: ${status}`);
}

/** @param {import('node:http').Server} server @returns {Promise<number>} its port */
const listening = server =>
  new Promise(done => server.listen(0, '127.0.0.1', () => done(server.address().port)));

async function freePort() {
  const server = createServer();
  const port = await listening(server);
  await new Promise(done => server.close(done));
  return port;
}

async function answers(url) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (await fetch(url).catch(() => null)) return true;
    await new Promise(done => setTimeout(done, 100));
  }
  return false;
}

const TYPES = {
  ...{ html: 'text/html', js: 'text/javascript', css: 'text/css' },
  ...{ json: 'application/json', wasm: 'application/wasm' },
};

/** An application that runs in the browser alone needs no more than its files, and headers for shared memory. */
function serveActual(request, response) {
  const path = pathOf(request);
  // Its service worker would fetch all 12 MB in each trial.
  if (path === '/sw.js') return response.writeHead(404).end();
  return serveFile('@actual-app/web/build', path, response, {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
}

/** Swagger UI, and the API that it documents. */
function serveClinic(request, response) {
  const path = pathOf(request);
  const files = { '/api.json': JSON.stringify(CLINIC), '/swagger-initializer.js': INITIALIZER };
  const [resource = ''] = path.split('/').slice(1);
  const text = files[path] ?? (['pets', 'visits'].includes(resource) ? '{"ok":true}' : undefined);
  if (text === undefined) return serveFile('swagger-ui-dist', path, response);
  request.resume();
  return response.writeHead(200, { 'content-type': TYPES[extname(path).slice(1)] ?? TYPES.json }).end(text);
}

const pathOf = request => normalize(new URL(request.url ?? '/', 'http://app').pathname);

function serveFile(name, path, response, headers = {}) {
  const file = [path, extname(path) ? '' : '/index.html']
    .map(each => extname(each) && packaged(name, each))
    .find(each => each && existsSync(each));
  if (!file) return response.writeHead(404).end();
  const type = TYPES[extname(file).slice(1)] ?? 'application/octet-stream';
  return response.writeHead(200, { 'content-type': type, ...headers }).end(readFileSync(file));
}

const INITIALIZER = `window.ui = SwaggerUIBundle({ url: '/api.json', dom_id: '#swagger-ui', filter: true,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], layout: 'StandaloneLayout' });`;

const responses = { 200: { description: 'Done' } };
const PET = { type: 'object', properties: { name: { type: 'string' } } };
const CLINIC = {
  openapi: '3.0.3',
  info: { title: 'Harbour clinic', version: '1.0' },
  components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
  security: [{ Key: [] }],
  paths: {
    '/pets': {
      get: { tags: ['pets'], summary: 'List pets', responses },
      post: {
        ...{ tags: ['pets'], summary: 'Add a pet', responses },
        requestBody: { content: { 'application/json': { schema: PET } } },
      },
    },
    '/visits': { get: { tags: ['visits'], summary: 'List visits', responses } },
  },
};
