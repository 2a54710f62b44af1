// The page on which a person labels kept trials, one after another: on this machine alone, at an address that nobody can guess.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Label, labelsText, readLabels } from '../../data/labels';
import { writeText } from '../write';
import { type Candidate, keepLabelled, readKept } from './kept';
import { donePage, POLICY, trialPage } from './label-page';

const MAX_BODY = 1_000;
const LABELS: readonly string[] = ['passed', 'failed', 'unclear'] satisfies Label['label'][];

export async function serveLabels(
  candidates: readonly Candidate[],
  { configFolder, labelsFile }: Record<'configFolder' | 'labelsFile', string>,
) {
  const labelling = new Labelling(candidates, configFolder, labelsFile);
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
      await labelling.answer(request, response, `/${token}`, path.slice(2));
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(String(error));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/${token}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Another site may have its name point to this address, or send its visitors here. */
function isOwn({ headers, method }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (`http://${headers.host}` !== origin || (site && site !== 'same-origin' && site !== 'none'))
    return false;
  return method === 'GET' || (method === 'POST' && headers.origin === origin);
}

class Labelling {
  /** What was labelled since the start, and what it was before. */
  private readonly given: { trial: string; before: Label | undefined }[] = [];

  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly configFolder: string,
    private readonly labelsFile: string,
  ) {}

  async answer(request: IncomingMessage, response: ServerResponse, base: string, path: readonly string[]) {
    const [trial = '', picture] = path;
    const go = (to: string) => void response.writeHead(303, { location: `${base}/${to}` }).end();
    const send = (type: string, body: string | Buffer) =>
      void response.writeHead(200, { 'content-type': type }).end(body);
    const html = (text: string) => send('text/html; charset=utf-8', text);
    const labels = this.labels();
    if (!trial) return go(this.nextOpen(labels, 0));
    if (trial === 'done') return html(donePage(this.candidates, labels));
    const at = this.candidates.findIndex(each => each.trial === trial);
    const candidate = this.candidates[at];
    const kept = candidate && readKept(candidate.file);
    if (!kept) return void response.writeHead(404).end('This trial is no longer kept.');
    if (request.method === 'POST') {
      const label = new URLSearchParams(await bodyOf(request)).get('label') ?? '';
      if (label === 'undo') return go(this.undo() ?? trial);
      if (!LABELS.includes(label)) return void response.writeHead(400).end();
      this.save(candidate, label as Label['label']);
      return go(this.nextOpen(this.labels(), at + 1));
    }
    const image = picture && [...kept.pictures].find(([name]) => name === decodeURIComponent(picture));
    if (image) return send('image/jpeg', image[1]);
    if (picture !== undefined) return void response.writeHead(404).end();
    html(trialPage(kept, { candidates: this.candidates, at, label: labels.get(trial) }));
  }

  private labels(): ReadonlyMap<string, Label> {
    return new Map(readLabels(this.labelsFile).labels.map(label => [label.trial, label]));
  }

  /** The next that has no label, from there on and then from the first; `done` if there is none. */
  private nextOpen(labels: ReadonlyMap<string, Label>, from: number): string {
    const inOrder = [...this.candidates.slice(from), ...this.candidates.slice(0, from)];
    return inOrder.find(({ trial }) => !labels.has(trial))?.trial ?? 'done';
  }

  private save(candidate: Candidate, label: Label['label']): void {
    const { file: _, ...about } = candidate;
    keepLabelled(this.configFolder, candidate);
    this.given.push({ trial: about.trial, before: this.labels().get(about.trial) });
    this.write(about.trial, { ...about, label, at: new Date().toISOString() });
  }

  /** @returns the trial whose label it took back */
  private undo(): string | undefined {
    const last = this.given.pop();
    if (last) this.write(last.trial, last.before);
    return last?.trial;
  }

  /** Reads the file again: someone else may have added labels. */
  private write(trial: string, label: Label | undefined): void {
    const { labels, answers } = readLabels(this.labelsFile);
    const others = labels.filter(each => each.trial !== trial);
    writeText(this.labelsFile, labelsText({ labels: [...others, ...(label ? [label] : [])], answers }));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BODY) throw new Error('more than a label');
  }
  return text;
}
