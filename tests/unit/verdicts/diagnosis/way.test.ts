// What a record tells a diagnosis, action by action: in words for people, as a key to compare trials by.
import { describe, expect, test } from 'vitest';
import type { PageAction, RecordedAction } from '../../../../src/data/action';
import type { TrialRecord, TurnRecord } from '../../../../src/data/record';
import { factsOf, wayOfTurns } from '../../../../src/verdicts/diagnosis/way';
import { madeAction, madeRecord, madeTurn } from '../../../support/records';

const SITE = 'http://shop';
const BUTTON = "getByRole('button', { name: 'Pay' })";
const FIELD = "getByRole('textbox', { name: 'Name' })";

const at = (path: string, action: PageAction): RecordedAction => madeAction(action, path);
const click = (path: string, to = path) => madeAction({ do: 'click', locator: BUTTON }, path, to);

type Actions = TurnRecord['actions'];
const turnOf = (actions: Actions, index = 0, url = `${SITE}/`) =>
  madeTurn({ number: index + 1, url, actions });
const recordOf = (turns: TurnRecord[], more: Partial<TrialRecord> = {}) =>
  madeRecord({ outcome: 'failed', turns, finalUrl: `${SITE}/`, ...more });
const actionsOf = (turns: TurnRecord[], more?: Partial<TrialRecord>) =>
  factsOf(recordOf(turns, more)).way.actions;
const did = (...recorded: RecordedAction[]) =>
  actionsOf([turnOf([{ title: 'x', recorded }])]).map(({ did, key }) => `${did} | ${key}`);

test.each<[PageAction, string | null, string?]>([
  [{ do: 'click', locator: BUTTON }, 'clicked button "Pay"', `click ${BUTTON}`],
  [{ do: 'click', locator: BUTTON, clickCount: 2 }, 'double-clicked button "Pay"', `click ${BUTTON}`],
  [{ do: 'check', locator: BUTTON, checked: true }, 'checked button "Pay"', `click ${BUTTON}`],
  [{ do: 'check', locator: BUTTON, checked: false }, 'unchecked button "Pay"', `click ${BUTTON}`],
  [{ do: 'fill', locator: FIELD, text: 'a' }, 'filled field "Name"', `fill ${FIELD}`],
  [
    { do: 'select', locator: FIELD, labels: ['S', 'M'] },
    'selected "S", "M" in field "Name"',
    `select S,M in ${FIELD}`,
  ],
  [{ do: 'upload', locator: FIELD, files: ['a'] }, 'uploaded a file to field "Name"', `upload ${FIELD}`],
  [{ do: 'drag', locator: BUTTON, to: FIELD }, 'dragged button "Pay" to field "Name"', `drag ${BUTTON}`],
  [{ do: 'press', key: 'Enter' }, 'pressed Enter', 'press Enter'],
  [{ do: 'press', key: 'Escape', locator: FIELD }, 'pressed Escape in field "Name"', `press Escape ${FIELD}`],
  [{ do: 'press', key: 'Control+Enter' }, null],
  [{ do: 'hover', locator: BUTTON }, null],
  [{ do: 'focus', locator: BUTTON }, null],
  [{ do: 'scroll', x: 0, y: 1 }, null],
  [{ do: 'goto', url: '/cart?x=1' }, 'opened /cart?x=1', 'goto /cart?x=1'],
  [{ do: 'goto', url: 'https://other/a/12?x' }, 'opened /a/*', 'goto /a/*'],
  [{ do: 'goto', url: 'about:blank' }, 'opened about:blank', 'goto about:blank'],
  [{ do: 'call_page_tool', name: 'buy', input: {} }, 'called page tool "buy"', 'call_page_tool buy'],
  [{ do: 'back' }, 'went back', 'back'],
  [{ do: 'forward' }, 'went forward', 'forward'],
  [{ do: 'reload' }, 'reloaded the page', 'reload'],
  [{ do: 'new_tab' }, 'opened a tab', 'new_tab'],
  [{ do: 'switch_tab' }, 'went to another tab', 'switch_tab'],
  [{ do: 'close_tab' }, 'closed a tab', 'close_tab'],
])('%j', (action, words, key) => {
  expect(did(at('/', action))).toEqual(words === null ? [] : [`${words} | ${key}`]);
});

test('a field is filled once, however it is done; a click of its own and another page are other actions', () => {
  const into = (what: 'click' | 'fill' | 'type', path = '/') =>
    at(path, what === 'click' ? { do: what, locator: FIELD } : { do: what, locator: FIELD, text: 'a' });
  const filled = `filled field "Name" | fill ${FIELD}`;
  const clicked = `clicked field "Name" | click ${FIELD}`;
  expect(did(into('click'), into('fill'), into('type'))).toEqual([filled]);
  expect(did(into('fill'), into('click'))).toEqual([filled, clicked]);
  expect(did(into('click'), into('fill', '/b'))).toEqual([clicked, filled]);
  expect(did(into('click'), click('/'))).toEqual([clicked, `clicked button "Pay" | click ${BUTTON}`]);
});

describe('where an action was done', () => {
  const paths = (turns: TurnRecord[], more?: Partial<TrialRecord>) =>
    actionsOf(turns, more).map(({ path }) => path);
  const silent = (url: string, index = 0) => turnOf([{ title: 'look' }], index, url);
  const visited = (url: string, resourceType = 'document') => ({
    network: {
      events: [{ url, resourceType, method: 'GET', status: 200, startedAtMs: 0 }],
      dropped: 0,
    },
  });

  test('is the page before it: at first the one that the trial opened', () => {
    expect(paths([silent(`${SITE}/a`), silent(`${SITE}/b`, 1)], visited(`${SITE}/entry`))).toEqual([
      ...['/entry', '/a'],
    ]);
    expect(paths([silent(`${SITE}/a`)], visited(`${SITE}/picture`, 'image'))).toEqual(['/a']);
    expect(paths([silent('about:blank'), silent(`${SITE}/b`, 1)])).toEqual(['', '']);
    expect(paths([silent(`${SITE}/a`), silent('about:blank', 1), silent(`${SITE}/c`, 2)])).toEqual([
      ...['/a', '/a', '/a'],
    ]);
  });

  test('of a recorded action is its own; of a page that did not answer the last known', () => {
    expect(paths([turnOf([{ title: 'x', recorded: [click('/cart?x')] }])])).toEqual(['/cart']);
    expect(paths([turnOf([{ title: 'x', recorded: [click('')] }], 0, `${SITE}/a`)])).toEqual(['/a']);
    expect(paths([turnOf([{ title: 'x', recorded: [click('data:text/html,x')] }])])).toEqual([
      'data:text/html,x',
    ]);
  });

  test.each([
    ['http://shop/orders/12', '/orders/*'],
    ['http://shop/orders/12/items/7f3a9c2e11b4', '/orders/*/items/*'],
    ['http://shop/a1/b-2', '/a1/b-2'],
    ['http://shop/#/cart/12?x', '/#/cart/*'],
    ['http://shop/#!/cart', '/#!/cart'],
    ['http://shop/#top', '/'],
    ['http://shop/u/%7B%7Bunique%7D%7D', '/u/{{unique}}'],
    ['about:blank', null],
  ])('%s is %s', (finalUrl, path) => {
    expect(factsOf(recordOf([], { finalUrl })).way.end).toBe(path);
  });
});

describe("what an agent's own words tell", () => {
  const own = (...actions: Actions) =>
    actionsOf([turnOf(actions)]).map(({ path, did, key }) => `${path}: ${did} | ${key}`);

  test('of an action with nothing recorded, and of one that failed on its way', () => {
    expect(own({ title: 'open the cart' })).toEqual(['/: did: open the cart | said open the cart']);
    expect(own({ title: 'pay', error: 'no', recorded: [click('/', '/pay')] })).toEqual([
      `/: clicked button "Pay" | click ${BUTTON}`,
      '/pay: failed at: pay | failed pay',
    ]);
    expect(own({ title: 'pay', error: 'no' })).toEqual(['/: failed at: pay | failed pay']);
    expect(own({ title: 'look', recorded: [] })).toEqual([]);
  });

  test('the control that Playwright waited for in vain', () => {
    const error = `locator.click: Timeout 4000ms exceeded.\nCall log:\n\u001b[2m  - waiting for ${BUTTON}\u001b[22m\n`;
    const { control } = factsOf(recordOf([turnOf([{ title: 'pay', error }])]));
    expect(control).toEqual({ words: 'button "Pay"', here: true, sought: true });
  });

  test('the control that an action meant, if it says so', () => {
    const { control } = factsOf(recordOf([turnOf([{ title: 'pay', control: 'button "Buy"' }])]));
    expect(control).toEqual({ words: 'button "Buy"', here: true });
    expect(did({ ...click('/'), control: 'button "Buy"' })).toEqual([
      `clicked button "Buy" | click ${BUTTON}`,
    ]);
  });
});

test('a recording is a way, with turns from 1; it ends where its last action led', () => {
  const turn = (...recorded: RecordedAction[]) => ({ title: 'x', actions: [{ title: 'x', recorded }] });
  expect(wayOfTurns([turn(click('/', '/cart')), turn(click('/cart'), click('/cart', '/thanks'))])).toEqual({
    actions: ['/', '/cart', '/cart'].map((path, index) => ({
      ...{ turn: index ? 2 : 1, path, did: 'clicked button "Pay"', key: `click ${BUTTON}` },
    })),
    end: '/thanks',
  });
  expect(wayOfTurns([])).toEqual({ actions: [], end: null });
  expect(wayOfTurns([turn(click(''))])).toEqual({
    actions: [expect.objectContaining({ path: '' })],
    end: null,
  });
});

test('long trials and long names are bounded', () => {
  const { actions } = factsOf(
    recordOf(Array.from({ length: 1_001 }, (_, index) => turnOf([{ title: `${index}` }], index))),
  ).way;
  expect(actions).toHaveLength(1_000);
  const many = Array.from({ length: 1_001 }, (_, index) => at('/', { do: 'goto', url: `/p${index}x` }));
  expect(actionsOf([turnOf([{ title: 'x', recorded: many }])])).toHaveLength(1_000);
  const keyOf = (length: number) => actionsOf([turnOf([{ title: 'x'.repeat(length) }])])[0]!;
  expect(keyOf(200)).toMatchObject({ did: `did: ${'x'.repeat(114)}…`, key: `said ${'x'.repeat(119)}…` });
  const tool = (name: string) =>
    actionsOf([turnOf([{ title: 'x', recorded: [at('/', { do: 'call_page_tool', name, input: {} })] }])])[0]!
      .key;
  expect(tool('x'.repeat(900))).toHaveLength(500);
});

test('the checks that did not hold, in the order of the spec, with one escape before and the judge after', () => {
  const check = (title: string, passed: boolean, reason: string | null = null) => {
    return { title, type: 'dom' as const, passed, reason };
  };
  const { broken } = factsOf(
    recordOf([], {
      assertions: [check('b', false, 'no b\n'), check('held', true), check('a', false)],
      refusals: [
        { url: 'http://stopped', how: 'refused' },
        { url: 'http://one', how: 'escaped' },
        { url: 'http://two', how: 'escaped' },
      ],
      judge: { passed: false, reason: 'the pot\nis missing' },
    }),
  );
  expect(broken.map(({ title, reason }) => [title, reason])).toEqual([
    ['allowedDomains', 'the agent got to http://one, outside allowedDomains'],
    ['b', 'no b'],
    ['a', null],
    ['the judge', 'the judge: the pot is missing'],
  ]);
  const fine = recordOf([], { judge: { passed: true, reason: 'all there' } });
  expect(factsOf(fine).broken).toEqual([]);
});

test('why it ended: the limit that it reached, or what the agent said as it gave up', () => {
  const saidBy = (endReason: string | null) => factsOf(recordOf([], { endReason })).said;
  expect(saidBy('the agent gave up: no way on')).toBe('no way on');
  expect(saidBy('the test timed out after 9 s')).toBe('the test timed out after 9 s');
  expect(saidBy(null)).toBeNull();
});

test('the control that it last acted on, on the page where it ended or before', () => {
  const control = (to: string) =>
    factsOf(recordOf([turnOf([{ title: 'x', recorded: [click('/', to)] }])], { finalUrl: SITE + to }))
      .control;
  expect(control('/')).toEqual({ words: 'button "Pay"', here: true });
  expect(control('/cart')).toEqual({ words: 'button "Pay"', here: false });
  expect(factsOf(recordOf([])).control).toBeNull();
});

test('relevant findings apart from the others, at comparable paths; a record of an older version has none', () => {
  const finding = {
    kind: 'no_name' as const,
    locator: "locator('.icon-cart')",
    text: 'button without a name',
  };
  const findings = [
    { ...finding, relevant: true },
    { ...finding, locator: "locator('#q')", relevant: false },
  ];
  expect(factsOf(recordOf([], { examination: { path: '/shop/12', findings, others: 1 } }))).toMatchObject({
    findings: [{ ...finding, path: '/shop/*' }],
    others: [{ ...finding, locator: "locator('#q')", path: '/shop/*' }],
  });
  expect(factsOf(recordOf([], { examination: null })).findings).toEqual([]);
});

test('control characters and directions of text are taken out', () => {
  const locator = "getByRole('button', { name: 'Pay\u001b[31m\u202enow' })";
  const [action] = actionsOf([turnOf([{ title: 'x', recorded: [at('/', { do: 'click', locator })] }])]);
  expect(action!.did).toBe('clicked button "Paynow"');
});
