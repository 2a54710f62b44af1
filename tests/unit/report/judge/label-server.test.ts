// The page for labels: who may read it, what it shows, and what a label leaves on disk. In a browser: tests/e2e/judge-labels.test.ts.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readLabels } from '../../../../src/data/labels';
import { RECORD_ATTACHMENT } from '../../../../src/data/record';
import { candidatesIn } from '../../../../src/report/judge/kept';
import { serveLabels } from '../../../../src/report/judge/label-server';
import { trialFile } from '../../../../src/report/kept/stored-run';
import { keptTrial } from '../../../support/kept-trial';
import { madeRecord } from '../../../support/records';
import { tempFolder } from '../../../support/temp-folder';

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const PLAN = {
  ...{ id: 'send', file: 'send.yaml', rubricHash: 'r1', policy: { k: 2, minPasses: 1 }, replayed: false },
};

async function serve() {
  const configFolder = tempFolder();
  const folder = join(configFolder, '.taskproof', 'run');
  mkdirSync(folder, { recursive: true });
  const run = { storeVersion: 1, startedAt: '2026-11-25T08:00:00.000Z', runId: 'x', args: [], shard: null };
  const specs = [
    { project: 'agents', plan: PLAN, settings: {} },
    { project: 'agents', plan: { ...PLAN, id: 'other', rubricHash: undefined }, settings: {} },
  ];
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...run, specs }));
  for (const [index, { plan }] of [...specs, specs[0]!].entries()) {
    const judge = { passed: true, reason: 'So says the judge.', name: 'webJudge' };
    const record = madeRecord({
      repeatIndex: index,
      judge,
      finalText: HOSTILE,
      answer: HOSTILE,
      finalUrl: HOSTILE,
    });
    const annotations = [
      { type: 'goal', description: HOSTILE },
      { type: 'rubric', description: `It was sent. ${HOSTILE}` },
    ];
    const picture = { name: 'end.jpg', contentType: 'image/jpeg', body: btoa('a picture') };
    const kept = keptTrial(record, { annotations, attachments: [picture] });
    writeFileSync(trialFile(folder, 'agents', plan as never, index >> 1), kept);
  }
  const candidates = candidatesIn(configFolder, 1);
  const labelsFile = join(configFolder, 'taskproof-labels.json');
  const { url, close } = await serveLabels(candidates, { configFolder, labelsFile });
  onTestFinished(close);
  const labels = () => readLabels(labelsFile).labels.map(({ index, label }) => [index, label]);
  return { url, candidates, labels, copies: () => readdirSync(join(configFolder, '.taskproof', 'labelled')) };
}

interface Reply {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

function ask(
  url: string,
  { body = '', ...options }: { body?: string; method?: string; headers?: object } = {},
) {
  return new Promise<Reply>((resolve, reject) => {
    const sent = request(url, { ...options, headers: { ...options.headers } }, response => {
      let text = '';
      response.on('data', chunk => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const give = (url: string, label: string, origin = new URL(url).origin) =>
  ask(url, { method: 'POST', body: `label=${label}`, headers: { origin } });

test('trials of rubrics alone, each with what a judge was shown, all of it as text', async () => {
  const { url, candidates } = await serve();
  expect(candidates.map(({ spec, index }) => [spec, index])).toEqual([
    ['send', 0],
    ['send', 1],
  ]);
  const first = await ask(url);
  expect(first).toMatchObject({
    status: 303,
    headers: { location: expect.stringContaining(candidates[0]!.trial) },
  });
  const { body, headers } = await ask(new URL(candidates[0]!.trial, url).href);
  expect(body.match(/<script>/g)).toHaveLength(1);
  expect(body).not.toContain('<img src=x');
  expect(body.match(/&lt;script&gt;alert\(2\)/g)!.length).toBeGreaterThanOrEqual(5);
  expect(body).not.toContain('So says the judge.');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*script-src 'sha256-[^']+';/);
  expect(headers['content-security-policy']).not.toContain('unsafe');
  const picture = await ask(new URL(`${candidates[0]!.trial}/end.jpg`, url).href);
  expect(picture).toMatchObject({
    status: 200,
    body: 'a picture',
    headers: { 'content-type': 'image/jpeg' },
  });
  const record = await ask(new URL(`${candidates[0]!.trial}/${RECORD_ATTACHMENT}`, url).href);
  expect(record.status).toBe(404);
});

test('a label is saved at once, shows what the judge said, and can be changed', async () => {
  const { url, candidates, labels, copies } = await serve();
  const [first, second] = candidates.map(({ trial }) => new URL(trial, url).href);
  expect((await give(first!, 'passed')).headers.location).toContain(candidates[1]!.trial);
  expect(labels()).toEqual([[0, 'passed']]);
  expect(copies()).toEqual([`${candidates[0]!.trial}.json`]);
  expect((await ask(first!)).body).toContain('You: passed. The judge: passed, So says the judge.');
  expect((await ask(second!)).body).not.toContain('So says the judge.');
  expect((await give(second!, 'unclear')).headers.location).toMatch(/\/done$/);
  await give(first!, 'failed');
  expect(labels().sort()).toEqual([
    [0, 'failed'],
    [1, 'unclear'],
  ]);
});

test.each<[string, (url: string) => Promise<Reply>, number]>([
  [
    'another host, which a name may have been made to point here',
    url => ask(url, { headers: { host: 'evil.test' } }),
    403,
  ],
  ['another token', url => ask(url.replace(/[0-9a-f]{32}/, '0'.repeat(32))), 403],
  ['no token', url => ask(new URL('/', url).href), 403],
  ['a form of another site', url => give(url, 'passed', 'http://evil.test'), 403],
  ['a form without an origin', url => ask(url, { method: 'POST', body: 'label=passed' }), 403],
  ['a page of another site', url => ask(url, { headers: { 'sec-fetch-site': 'cross-site' } }), 403],
  ['another method', url => ask(url, { method: 'DELETE' }), 403],
  ['another label', url => give(url, 'maybe'), 400],
  ['a long body', url => give(url, 'x'.repeat(2_000)), 500],
])('%s is refused', async (_, asking, status) => {
  const { url, candidates, labels } = await serve();
  expect((await asking(new URL(candidates[0]!.trial, url).href)).status).toBe(status);
  expect(labels()).toEqual([]);
});
