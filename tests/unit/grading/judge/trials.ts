import { onTestFinished } from 'vitest';
import type { JudgedTrial } from '../../../../src/grading/judge';
import { parseTaskSpec } from '../../../../src/spec';
import { type Script, startMessagesApi } from '../../../support/messages-api';

/** As much of a JPEG as tells its size; another `mark` makes another picture. */
export function jpeg(mark: number): Buffer {
  const frame = [0xff, 0xc0, 0, 17, 8, 720 >> 8, 720 & 255, 1280 >> 8, 1280 & 255, 3];
  return Buffer.from([0xff, 0xd8, ...frame, 0, 0, 0, 0, mark >> 8, mark & 255]);
}

/** So many turns with a picture each, and one at the end. */
export function shots(turns: number): JudgedTrial['screenshots'] {
  return [
    ...Array.from({ length: turns }, (_, index) => ({
      name: `turn-${index + 1}.jpg`,
      turn: index + 1,
      image: jpeg(index + 1),
    })),
    { name: 'end.jpg', turn: null, image: jpeg(1000) },
  ];
}

let specs = 0;

/** Each one of another spec, unless it is given one: key points are remembered. */
export function judgedTrial(changes: Partial<JudgedTrial> = {}): JudgedTrial {
  const spec = parseTaskSpec(`
specVersion: '0.1'
id: report-pot
goal: 'Write to support about the broken pot, case ${++specs}'
entryUrl: 'http://127.0.0.1:4173/support'
judge: 'The message says that the pot broke, and it was sent once.'
assertions:
  - type: dom
    selector: '#sent'
`);
  return {
    spec,
    rubric: spec.judge!,
    turns: [1, 2, 3].map(number => ({
      number,
      actions: [{ title: `click button ${number}` }],
      narration: number === 3 ? 'The message is sent.' : '',
      url: 'http://127.0.0.1:4173/support',
    })),
    screenshots: shots(3),
    finalUrl: 'http://127.0.0.1:4173/support?sent',
    finalText: 'Thank you. Your message was sent.',
    assertions: [{ title: '"#sent" is visible', passed: true }],
    budgetUsd: undefined,
    signal: new AbortController().signal,
    waiting: promise => promise,
    ...changes,
  };
}

export const KEY = 'sk-ant-the-key-of-the-judge';

export async function startApi(script: Script) {
  const api = await startMessagesApi({ script, apiKey: KEY });
  onTestFinished(() => api.close());
  return api;
}
