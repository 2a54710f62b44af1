import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Agent, ReplayAgent } from '../../../src/agents/agent';
import { lexical } from '../../../src/agents/lexical';
import { replay } from '../../../src/agents/replay';
import type { TrialRecord, TurnRecord } from '../../../src/data/record';
import { type Recording, RecordingError, readRecording, recordingText } from '../../../src/data/recording';
import { OptionsError } from '../../../src/options';
import { pickRecording, recordingOf, writeRecordings } from '../../../src/report/recordings';
import { fakeConfig, fakeProject, fakeTest } from '../../support/fake-suite';
import { madeAction, madeRecord, madeTurn } from '../../support/records';
import { tempFolder } from '../../support/temp-folder';

const click = (name: string) =>
  madeAction({ do: 'click', locator: `getByRole('button', { name: '${name}' })` });
type Action = TurnRecord['actions'][number];
const acted = (name: string): Action => ({ title: `click button "${name}"`, recorded: [click(name)] });

function recordOf(actions: Action[][], more: Partial<TrialRecord> = {}): TrialRecord {
  const turns = actions.map((each, index) =>
    madeTurn({ number: index + 1, title: `turn ${index + 1}`, actions: each }),
  );
  return madeRecord({ specId: 'order', model: 'claude-opus-5-5', turns, ...more });
}

function made(record: TrialRecord): Recording {
  const { recording, problem } = recordingOf(record);
  if (!recording) throw new Error(problem);
  return recording;
}

test('a recording holds what was done, without what failed and what only looked', () => {
  const record = recordOf([
    [{ title: 'read the page', recorded: [] }],
    [acted('Add'), { title: 'click link "Gone"', error: 'it is covered' }],
    [{ title: 'fill and send', error: 'button "Send" not found', recorded: [click('Fill')] }],
    [acted('Order'), { title: 'a dialog was accepted', recorded: [] }],
  ]);
  const recording = made(record);
  expect(recording.turns.map(({ title, actions }) => [title, actions.map(action => action.title)])).toEqual([
    ['turn 2', ['click button "Add"']],
    ['turn 3', ['fill and send']],
    ['turn 4', ['click button "Order"']],
  ]);
  expect(readRecording(recordingText(recording), 'order.json')).toEqual(recording);
});

test('a recording keeps the value of {{unique}} by name', () => {
  const recorded = [{ ...click('Add k3fz90ab'), before: { url: '/u/k3fz90ab', content: 'a' } }];
  const actions = [{ title: 'click "k3fz90ab"', recorded }];
  const text = recordingText(made(recordOf([actions], { unique: 'k3fz90ab' })));
  expect(text).not.toContain('k3fz90ab');
  const filled = readRecording(text.replaceAll('{{unique}}', 'b0000000'), 'order.json');
  expect(filled.turns[0]!.actions[0]!.recorded[0]).toMatchObject({
    locator: `getByRole('button', { name: 'Add b0000000' })`,
  });
  expect(recordingText(made(recordOf([actions])))).toContain('k3fz90ab');
});

const ANSWER = { title: 'the answer contains "11"', type: 'answer' as const, passed: true, reason: null };
const CHECKED = /its answer is checked, and a replay gives none/;

test.each<[string, Action[][], Partial<TrialRecord>, RegExp]>([
  [
    'did what no step can say',
    [[acted('A')], [{ title: 'run it' }]],
    {},
    /turn 2: `run it` can't be replayed/,
  ],
  ['has its answer checked', [[acted('A')]], { assertions: [ANSWER] }, CHECKED],
  ['is a test that uses the answer', [[acted('A')]], { notReplayable: 'answer' }, CHECKED],
  ['has several runs', [[acted('A')]], { notReplayable: 'runs' }, /^it calls agent\.run several times$/],
  ['did nothing', [[{ title: 'read the page', recorded: [] }]], {}, /did nothing to the page/],
])('a trial that %s leaves none', (_, actions, more, problem) => {
  expect(recordingOf(recordOf(actions, more))).toEqual({ problem: expect.stringMatching(problem) });
});

test('recordings of 0.1 call it `steps`', () => {
  const recording = made(recordOf([[acted('Add')]]));
  const old = recordingText(recording).replace('"recorded":', '"steps":');
  expect(old).toContain('"steps"');
  expect(readRecording(old, 'order.json')).toEqual(recording);
});

test.each([
  ['{', /order\.json: not JSON/],
  ['[]', /order\.json: not a recording: .*Record the trial again/],
  [
    JSON.stringify({ ...made(recordOf([[acted('Add')]])), recordingVersion: '2' }),
    /recordingVersion is "2"; this version .* reads "1"/,
  ],
  [
    recordingText(made(recordOf([[acted('Add')]]))).replace('"click"', '"evaluate"'),
    /turns\[0\]\.actions\[0\]\.recorded\[0\]/,
  ],
])('%.40s is refused', (text, message) => {
  expect(() => readRecording(text, 'order.json')).toThrow(RecordingError);
  expect(() => readRecording(text, 'order.json')).toThrow(message);
});

test.each([
  [{ recordings: '' }, /recordings/],
  [
    { recordings: 'r', fallbak: lexical() },
    /fallbak: unknown option. Known options: recordings, fallback, withoutRecording, actionTimeoutMs/,
  ],
  [{ recordings: 'r', fallback: {} }, /fallback: must be an agent/],
  [{ recordings: 'r', fallback: { run: async () => {} } }, /fallback: needs a `name`/],
  [{ recordings: 'r', fallback: replay({ recordings: 'r' }) }, /fallback: must not be a replay itself/],
  [{ recordings: 'r', actionTimeoutMs: 0 }, /actionTimeoutMs/],
])('replay(%j) is refused', (options, message) => {
  expect(() => replay(options as never)).toThrow(OptionsError);
  expect(() => replay(options as never)).toThrow(message);
});

test('replay() asks its fallback beforehand whether that can run', async () => {
  const fallback = { ...lexical(), preflight: () => Promise.reject(new Error('no key')) };
  await expect(replay({ recordings: 'r', fallback }).preflight!()).rejects.toThrow('no key');
  await expect(replay({ recordings: 'r' }).preflight!()).toBeUndefined();
});

test('a spec without a recording is missing one, unless a fallback plays it', async () => {
  const missing = (agent: Agent) => (agent as ReplayAgent).missingRecording('/nowhere', 'order');
  await expect(missing(replay({ recordings: 'r' }))).resolves.toMatch(/nowhere.r.order\.json$/);
  await expect(missing(replay({ recordings: 'r', fallback: lexical() }))).resolves.toBeUndefined();
});

const pickOf = (...records: TrialRecord[]) => pickRecording(records.map(recordingOf));

const short = recordOf([[acted('A')]]);

test('the shortest is the one with the fewest actions, however many turns they take; the first of two alike', () => {
  const oneTurn = recordOf([[acted('A'), acted('B'), acted('C')]]);
  const twoTurns = recordOf([[acted('A')], [acted('B')]]);
  const alike = recordOf([[acted('C'), acted('D')]], { model: 'another' });
  for (const pick of [pickOf(oneTurn, twoTurns, alike), pickOf(twoTurns, oneTurn, alike)])
    expect(pick.recording).toMatchObject({ model: 'claude-opus-5-5', turns: [{}, {}] });
  expect(pickOf()).toEqual({});
});

test('a replay leaves no recording, a healed one does', () => {
  expect(pickOf({ ...short, replayed: true }).recording).toBeUndefined();
  const healed = { turn: 2, reason: 'action 1: gone', recording: 'kept/order.json' };
  expect(pickOf({ ...short, replayed: true, healed })).toMatchObject({ healed: 'kept/order.json' });
});

/** Trials of it passed in project `a`. */
const ORDER = { planned: { id: 'order' }, project: 'a', tests: [fakeTest()], pick: pickOf(short) };

const configOf = (records: Record<string, unknown>) =>
  fakeConfig(
    Object.entries(records).map(([name, record]) =>
      fakeProject(name, { use: { taskproof: { record } } as object }),
    ),
  );

test('recordings are written where the project says, and two projects never share a file', async () => {
  const into = tempFolder();
  const specs = ['a', 'b', 'quiet'].map(project => ({ ...ORDER, project }));
  const write = () => writeRecordings(specs, configOf({ a: 'kept', b: 'kept', quiet: false }), into);
  write();
  // A second run writes into the same folders.
  expect(write()).toEqual([
    `no recording of order [b]: its file kept/order.json belongs to order [a]. Give it its own folder: \`record: 'folder'\``,
    'saved 1 recording in kept',
  ]);
  expect(readdirSync(into)).toEqual(['kept']);
  expect(JSON.parse(readFileSync(join(into, 'kept/order.json'), 'utf8'))).toMatchObject({ specId: 'order' });
});

test('specs of describes have a folder each; titles that come to one folder are told', async () => {
  const into = tempFolder();
  const specs = ['phone', '../x', 'at: home', 'at home', undefined].map(describe => ({
    ...ORDER,
    planned: { id: 'order', describe },
  }));
  expect(writeRecordings(specs, configOf({ a: 'kept' }), into)).toEqual([
    `no recording of at home › order [a]: its file kept/at-home/order.json belongs to at: home › order [a]. Give it its own folder: \`record: 'folder'\``,
    'saved 4 recordings in kept',
  ]);
  const files = readdirSync(into, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.json'),
  );
  expect(files.sort()).toEqual(['-x', 'at-home', '', 'phone'].map(name => join('kept', name, 'order.json')));
});

test('the default folder; why there is none; a folder that is a file', async () => {
  const into = tempFolder();
  const unknown = pickOf(recordOf([[{ title: 'run script' }]]));
  const specs = [
    ORDER,
    { ...ORDER, planned: { id: 'script' }, pick: unknown },
    { ...ORDER, planned: { id: 'lost' }, project: 'c' },
  ];
  writeFileSync(join(into, 'taken'), '');
  const lines = writeRecordings(specs, configOf({ a: true, c: 'taken' }), into);
  expect(lines).toEqual([
    "no recording of script [a]: turn 1: `run script` can't be replayed",
    expect.stringMatching(/^no recording of lost \[c\]: .*(EEXIST|ENOTDIR)/),
    'saved 1 recording in recordings',
  ]);
});

test('of a test with an agent the file is named by its path, and titles that lose something by a hash, too', () => {
  const into = tempFolder();
  const long = 'a'.repeat(70);
  const specs = ['finds the policy', '../../x', 'a > b', 'a < b', long, `${long}b`, 'cart'].map(id => ({
    ...ORDER,
    planned: { id, titlePath: ['shop/chat.spec.ts', 'phone', id] },
  }));
  const withoutAgent = { ...specs[0]!, pick: {} };
  expect(writeRecordings([...specs, withoutAgent], configOf({ a: true }), into)).toEqual([
    'saved 7 recordings in recordings',
  ]);
  expect(readdirSync(into)).toEqual(['recordings']);
  const files = readdirSync(join(into, 'recordings/shop-chat-spec-ts/phone')).sort();
  expect(files).toEqual([
    expect.stringMatching(/^-x-\w{6}\.json$/),
    ...Array(2).fill(expect.stringMatching(/^a-b-\w{6}\.json$/)),
    ...Array(2).fill(expect.stringMatching(/^a{60}-\w{6}\.json$/)),
    'cart.json',
    'finds-the-policy.json',
  ]);
});

test('a disk may take two names that differ in case for one file', () => {
  const specs = ['Phone', 'phone'].map(describe => ({ ...ORDER, planned: { id: 'order', describe } }));
  expect(writeRecordings(specs, configOf({ a: 'kept' }), tempFolder())[0]).toContain(
    'no recording of phone › order [a]: its file kept/phone/order.json belongs to Phone › order [a].',
  );
});

test('projects that this process does not know write nothing', async () => {
  for (const unknown of [{ project: 'elsewhere' }, { tests: [] }])
    expect(writeRecordings([{ ...ORDER, ...unknown }], configOf({ a: true }), tempFolder())).toEqual([]);
});

test('a healed recording is written beside the old one', async () => {
  const into = tempFolder();
  const healed = { turn: 2, reason: 'action 1: gone', recording: 'kept/order.json' };
  const pick = pickOf({ ...short, replayed: true, healed });
  const lines = writeRecordings([{ ...ORDER, pick }], configOf({ a: false }), into);
  expect(lines).toEqual(['healed: review kept/order.healed.json, then replace kept/order.json with it']);
  expect(readdirSync(join(into, 'kept'))).toEqual(['order.healed.json']);

  // `record` does not move it: it belongs beside the recording that was played.
  const both = ['a', 'b'].map(project => ({ ...ORDER, project, pick }));
  expect(writeRecordings(both, configOf({ a: 'own-a', b: 'own-b' }), into)).toEqual([
    ...lines,
    "no recording of order [b]: its file kept/order.healed.json belongs to order [a]. Give its project recordings of its own: `replay({ recordings: 'folder' })`",
  ]);
});
