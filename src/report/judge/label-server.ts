// The page on which a person labels kept trials, one after another. Only this machine can open it, at an address that nobody can guess.
// What sites and agents wrote is escaped, and only our script runs. What the judge said is shown after the person has labelled the trial.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeUTF8 } from 'entities/escape';
import { type Label, labelsText, readLabels } from '../../data/labels';
import { answerText, type TurnRecord } from '../../data/record';
import { writeText } from '../../text/file';
import { harmless } from '../../text/line';
import { plural } from '../../text/print';
import { type Candidate, keepLabelled, type ReadTrial, readKept } from './kept';

const MAX_BODY = 1_000;
const LABELS: readonly string[] = ['passed', 'failed', 'unclear'] satisfies Label['label'][];

type Files = Record<'configFolder' | 'labelsFile', string>;

export async function serveLabels(candidates: readonly Candidate[], files: Files) {
  const answer = labelling(candidates, files);
  const token = randomBytes(16).toString('hex');
  let origin = '';
  const server = createServer(async (request, response) => {
    response.setHeader('content-security-policy', POLICY);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cross-origin-resource-policy', 'same-origin');
    response.setHeader('referrer-policy', 'same-origin');
    response.setHeader('cache-control', 'no-store');
    const path = request.url?.split('?')[0]?.split('/') ?? [];
    if (!isOwn(request, origin) || path[1] !== token) return void response.writeHead(403).end();
    try {
      await answer(request, response, `/${token}`, path.slice(2));
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(String(error));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/${token}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Other sites may point their host name to this address (DNS rebinding), or send requests from a visitor's browser. */
function isOwn({ headers, method }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (`http://${headers.host}` !== origin || (site && site !== 'same-origin' && site !== 'none'))
    return false;
  return method === 'GET' || (method === 'POST' && headers.origin === origin);
}

/** @returns a function that answers a request; it gets the path below the page's own, in parts */
function labelling(candidates: readonly Candidate[], { configFolder, labelsFile }: Files) {
  const known = () => new Map(readLabels(labelsFile).labels.map(label => [label.trial, label]));

  /** The next trial without a label; after the last comes the first. `done` if all have one. */
  function nextOpen(from: number): string {
    const labels = known();
    const inOrder = [...candidates.slice(from), ...candidates.slice(0, from)];
    return inOrder.find(({ trial }) => !labels.has(trial))?.trial ?? 'done';
  }

  function save({ file, ...about }: Candidate, label: Label['label']): void {
    keepLabelled(configFolder, { file, ...about });
    // Someone else may have added labels.
    const { labels, answers } = readLabels(labelsFile);
    const others = labels.filter(({ trial }) => trial !== about.trial);
    const given = { ...about, label, at: new Date().toISOString() };
    writeText(labelsFile, labelsText({ labels: [...others, given], answers }));
  }

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    base: string,
    [trial = '', picture]: readonly string[],
  ) => {
    const go = (to: string) => void response.writeHead(303, { location: `${base}/${to}` }).end();
    const send = (type: string, body: string | Buffer) =>
      void response.writeHead(200, { 'content-type': type }).end(body);
    const html = (text: string) => send('text/html; charset=utf-8', text);
    if (!trial) return go(nextOpen(0));
    if (trial === 'done') return html(donePage(candidates, known()));
    const at = candidates.findIndex(each => each.trial === trial);
    const candidate = candidates[at];
    const kept = candidate && readKept(candidate.file);
    if (!kept) return void response.writeHead(404).end('This trial is no longer kept.');
    if (request.method === 'POST') {
      const label = new URLSearchParams(await bodyOf(request)).get('label') ?? '';
      if (!LABELS.includes(label)) return void response.writeHead(400).end();
      save(candidate, label as Label['label']);
      return go(nextOpen(at + 1));
    }
    if (picture === undefined) return html(trialPage(kept, { candidates, at, label: known().get(trial) }));
    const image = kept.pictures.get(decodeURIComponent(picture));
    if (!image) return void response.writeHead(404).end();
    send('image/jpeg', image);
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BODY) throw new Error('more than a label');
  }
  return text;
}

const SCRIPT = `addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  document.querySelector('[data-key="' + CSS.escape(event.key) + '"]')?.click();
});`;

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 0 1rem 4rem; color: #1b1b1b; background: #fff; overflow-wrap: anywhere }
header { position: sticky; top: 0; background: #fff; border-bottom: 1px solid #ccc; padding: .6rem 0; z-index: 1 }
header p { margin: .3rem 0 }
form { display: flex; flex-wrap: wrap; gap: .5rem }
button, header a { font: inherit; padding: .25rem .8rem; border: 1px solid #888; border-radius: .3rem; background: #f4f4f4; color: inherit; text-decoration: none }
button.chosen { background: #1b1b1b; color: #fff }
kbd { font: .8em monospace; opacity: .7 }
pre { font: inherit; white-space: pre-wrap; margin: .2rem 0 }
h2 { font-size: 1rem; margin: 1.2rem 0 .2rem }
img { max-width: 100%; border: 1px solid #ccc }
.error { color: #a40000 }
section section { border-top: 1px solid #ddd }`;

const hashed = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = `default-src 'none'; img-src 'self'; style-src ${hashed(STYLE)}; script-src ${hashed(SCRIPT)}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** A text of a site, an agent or a model, escaped for HTML. */
const html = (text: string) => escapeUTF8(harmless(text));

const page = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${html(title)}</title><style>${STYLE}</style></head>
<body>${body}<script>${SCRIPT}</script></body></html>`;

const part = (title: string, text: string) =>
  text.trim() ? `<section><h2>${title}</h2><pre>${html(text)}</pre></section>` : '';

type Position = { candidates: readonly Candidate[]; at: number; label: Label | undefined };

function trialPage({ record, rubric = '', goal, pictures }: ReadTrial, position: Position): string {
  const { candidates, at, label } = position;
  const { spec, project, index, run } = candidates[at]!;
  const which = `${spec}${project && ` [${project}]`}, trial ${index + 1} of ${run}`;
  const picture = (name: string | null) =>
    name !== null && pictures.has(name)
      ? `<img alt="${html(name)}" src="${html(candidates[at]!.trial)}/${encodeURIComponent(name)}">`
      : '';
  const turns = record.turns.map(turn => turnPart(turn, picture(turn.screenshot))).join('');
  return page(
    `${at + 1} of ${candidates.length}: ${spec}`,
    `<header><p>${at + 1} of ${candidates.length}: ${html(which)}</p>${part('Rubric', rubric)}${buttons(position)}
${label ? judgeLine(label, record.judge!) : ''}</header><main>${part('Goal', goal)}
<section><h2>At the end</h2><pre>${html(record.finalUrl ?? '')}</pre>${picture('end.jpg')}</section>
${part('Answer', answerText(record.answer ?? ''))}<section>${turns}</section>
<details><summary>Text of the last page</summary><pre>${html(record.finalText ?? '')}</pre></details></main>`,
  );
}

function buttons({ candidates, at, label }: Position): string {
  const button = (value: string, key: string, text: string) =>
    `<button name="label" value="${value}" data-key="${key}"${label?.label === value ? ' class="chosen"' : ''}>${text} <kbd>${key}</kbd></button>`;
  const link = (to: Candidate | undefined, key: string, text: string) =>
    to ? `<a href="${html(to.trial)}" data-key="${key}">${text}</a>` : '';
  const previous = link(candidates[at - 1], 'ArrowLeft', '← previous');
  const next = link(candidates[at + 1], 'ArrowRight', 'next →');
  return `<form method="post">${button('passed', 'p', 'Pass')}${button('failed', 'f', 'Fail')}${button('unclear', 'c', "Can't tell")}${previous}${next}</form>`;
}

const judgeLine = ({ label }: Label, judge: { passed: boolean; reason: string }) =>
  `<p>You: ${label}. The judge: ${judge.passed ? 'passed' : 'failed'}, ${html(judge.reason)}</p>`;

function turnPart({ number, title, actions, narration, error, url }: TurnRecord, picture: string): string {
  const errorOf = ({ error }: (typeof actions)[number]) =>
    error ? `: <span class="error">${html(error)}</span>` : '';
  const done = actions.map(each => `<li>${html(each.title)}${errorOf(each)}</li>`);
  return `<section><h2>Turn ${number}: ${html(title)}</h2><pre>${html(narration)}</pre><ul>${done.join('')}</ul>
<pre class="error">${html(error ?? '')}</pre><pre>${html(url)}</pre>${picture}</section>`;
}

function donePage(candidates: readonly Candidate[], labels: ReadonlyMap<string, Label>): string {
  const last = candidates.at(-1)!.trial;
  const labelled = candidates.filter(({ trial }) => labels.has(trial)).length;
  return page(
    'All labelled',
    `<main><h1>All labelled</h1><p>${plural(labelled, 'trial')} of ${candidates.length} have a label. Press Ctrl-C in the terminal, then run <code>npx taskproof judge check</code>.</p>
<p><a href="${html(last)}" data-key="ArrowLeft">← back to the last one</a></p></main>`,
  );
}
