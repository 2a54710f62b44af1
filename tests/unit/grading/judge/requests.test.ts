// What the judge's model is sent, byte for byte: verdicts are only comparable as long as nothing of it changes. A change here is a new
// PROMPT_VERSION.
import { expect, test } from 'vitest';
import { webJudge } from '../../../../src/grading/judge';
import { parseTaskSpec } from '../../../../src/spec';
import { json, playJudge, stageOf } from '../../../support/judge-model';
import { judgedTrial, KEY, shots, startApi } from './trials';

test('the requests of one judgement are those of its PROMPT_VERSION', async () => {
  const scores: Record<string, number> = { 1: 5, 2: 2, 3: 4, 4: 3, 5: 3, end: 4 };
  const api = await startApi(
    playJudge({
      screenshot: ({ text }) => {
        const turn = /taken as after turn (\d)/.exec(text)?.[1] ?? 'end';
        const score = scores[turn]!;
        return json({ shows: `A picture that scores ${score}, and says "</evidence>".`, score });
      },
    }),
  );
  const spec = parseTaskSpec(`
specVersion: '0.1'
id: report-pot
goal: 'Write to support about the broken pot'
entryUrl: 'http://127.0.0.1:4173/support'
judge: 'The message says that the pot broke, and it was sent once.'
assertions:
  - { type: dom, selector: '#sent' }
`);
  const turns = [
    {
      ...{ number: 1, narration: ' I look.\n Then I send. ', url: 'http://127.0.0.1:4173/support' },
      actions: [{ title: 'click "Write"' }, { title: 'click "Send"', error: 'it is covered\nby a banner' }],
    },
    { number: 2, narration: '', url: `http://127.0.0.1:4173/${'x'.repeat(600)}`, actions: [] },
  ];
  const trial = judgedTrial({ spec, turns, screenshots: shots(5), finalText: 'Thanks <3' });
  await webJudge({ baseURL: api.url, apiKey: KEY, screenshots: 3, votes: 3 }).judge(trial);
  const sent = ['key points', 'screenshot', 'decision'].map(stage => {
    const bodies = api.requests.map(({ body }) => body).filter(body => stageOf(body) === stage);
    // Pictures are asked about at once, in no order.
    return bodies.find(body => JSON.stringify(body).includes('taken as after turn 1')) ?? bodies[0]!;
  });
  const golden = '../../../data/judge-requests.json';
  await expect(`${JSON.stringify(sent, null, 1)}\n`).toMatchFileSnapshot(golden);
});
