// A trial as a run keeps it on disk, and a spec whose trials a judge grades.
import { RECORD_ATTACHMENT, type TrialRecord } from '../../src/data/record';

/** The text of its file: one that passed, with the fields in `more`, and what is attached before them. */
export function keptTrial(
  record?: TrialRecord,
  {
    attachments = [],
    ...more
  }: {
    attachments?: object[];
    annotations?: object[];
    costUsd?: number;
    outcome?: string;
    status?: string;
  } = {},
) {
  const body = Buffer.from(JSON.stringify(record ?? null)).toString('base64');
  const own = record ? [{ name: RECORD_ATTACHMENT, contentType: 'application/json', body }] : [];
  const plain = { outcome: 'passed', status: 'passed', costUsd: 0, duration: 1, errors: [], annotations: [] };
  return JSON.stringify({ ...plain, ...more, attachments: [...own, ...attachments] });
}

export const JUDGED_SPEC = `specVersion: playwright/1
id: cart
goal: Buy
entryUrl: http://shop/
judge: it is polite
assertions:
  - { type: url, pattern: '**' }
`;
