import { expect, test } from 'vitest';
import type { SessionTask } from '../../../../src/agents/agent';
import { resolved } from '../../../../src/agents/replay/resolve';
import type { RecordedAction } from '../../../../src/data/action';

const mark = '<secret>WHO</secret>';
const task = {
  secrets: { WHO: `O'Hara "x"\\` },
  configDir: '/',
  entryUrl: 'http://x/',
} as unknown as SessionTask;
const where = { tab: 0, before: { url: '', content: '' }, after: { url: '', content: '' } };

test.each<[Partial<RecordedAction>, Partial<RecordedAction>]>([
  // Filled in where it is typed, if that may have it.
  [{ do: 'fill', locator: 'x', text: mark }, { text: mark }],
  // As source text, where the quotes would end it.
  [{ do: 'click', locator: `getByText('Hi ${mark}')` }, { locator: `getByText('Hi O\\'Hara \\"x\\"\\\\')` }],
  [{ do: 'drag', locator: 'x', to: `getByText('${mark}')` }, { to: `getByText('O\\'Hara \\"x\\"\\\\')` }],
  [{ do: 'select', locator: 'x', labels: [mark] }, { labels: [mark] }],
])('a recording names secrets wherever they stood: %j', (step, expected) => {
  expect(resolved({ ...step, ...where } as RecordedAction, task)).toMatchObject(expected);
});

test('a file that is not there is no fault of the page', () => {
  const step = { do: 'upload', locator: 'x', files: ['no/such-file.txt'], ...where } as RecordedAction;
  const here = { ...task, configDir: process.cwd() };
  expect(() => resolved(step, here)).toThrow('uploads "no/such-file.txt", which does not exist in');
});

test('one that the project does not have is named', () => {
  const step = { do: 'click', locator: "getByText('<secret>OTHER</secret>')", ...where } as RecordedAction;
  expect(() => resolved(step, task)).toThrow('the secret OTHER, which this project does not have');
});
