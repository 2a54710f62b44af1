// The turn at which a failing trial left the way of passing ones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PassingTrials, Way } from '../../../../src/data/diagnosis';
import { type PassingTrial, PassingWays } from '../../../../src/verdicts/diagnosis/parting';
import { FAILED, type GradedTrial, UNTOLD } from '../../../../src/verdicts/diagnosis/way';
import { trial } from '../trials';

/** `a b /cart:c > /thanks`: an action each, on `/` or another path, a turn each; then the path where it ended, `/` if none stands there. */
function way(text: string): Way {
  const [actions = '', end = '/'] = text.split('>').map(part => part.trim());
  return {
    actions: actions
      .split(/\s+/)
      .filter(Boolean)
      .map((action, index) => {
        const [key, path = '/'] = action.split(':').reverse() as [string, string?];
        return { turn: index + 1, path, did: `did ${key}`, key };
      }),
    end,
  };
}

const passing = (...texts: string[]): PassingTrial[] =>
  texts.map((text, index) => ({ project: 'opus', trial: { index }, facts: { way: way(text) } }));

const lostBy = (way: Way, status = 'completed') =>
  ({ trial: trial(0, 'failed', { status }), facts: { way } }) as GradedTrial;

function textOf(
  ways: readonly PassingTrial[],
  lost: string,
  status = 'completed',
  who: PassingTrials = { from: 'trials' },
) {
  return new PassingWays(who, ways).partingOf(lostBy(way(lost), status))?.parting.text ?? null;
}

test.each<[what: string, lost: string, controls: string[], text: string | null]>([
  ['renamed', 'a', ['button "Reserve" 40 100'], 'ended; button "Reserve" is in its place'],
  [
    'what covers most of it',
    'a',
    ['link "Up" 0 85', 'button "Reserve" 0 100'],
    'ended; button "Reserve" is in its place',
  ],
  ['moved', 'a', ['button "Pay" 0 400', 'link "Up" 0 100'], 'ended; it is elsewhere on the page'],
  ['hidden', 'a', ['link "Up" 0 400'], 'ended; nothing is in its place'],
  ['without a name, which is a finding', 'a', ['button 0 100'], 'ended'],
  ['one without a name, elsewhere', 'a', ['button 0 400', 'link "Up" 0 100'], 'ended'],
  [
    'renamed, beside another without a name',
    'a',
    ['button 0 400', 'button "Reserve" 0 100'],
    'ended; button "Reserve" is in its place',
  ],
  ['still there', 'a', ['link "Up" 0 100', 'button "Pay" 0 110'], 'ended'],
  ['unknown', 'a', [], 'ended'],
  ['on another page', 'a > /x', ['link "Up" 0 400'], null],
  ['after vain tries', 'a failed', ['link "Up" 0 400'], 'did failed; nothing is in its place'],
  ['after something else', 'a x', ['link "Up" 0 400'], 'did x'],
])('what stands there instead: %s', (_, lost, controls, text) => {
  const placed = (control: string, x: number, y: number) => ({ control, x, y, width: 80, height: 20 });
  const passed = way('a b');
  Object.assign(passed.actions[1]!, { place: placed('button "Pay"', 0, 100) });
  const shown = controls.map(each => {
    const [, control, x, y] = /^(.*) (\d+) (\d+)$/.exec(each)!;
    return placed(control!, Number(x), Number(y));
  });
  const trial = lostBy(way(lost));
  if (controls.length) Object.assign(trial.facts, { controls: shown });
  if (lost.includes('failed')) Object.assign(trial.facts.way.actions[1]!, { key: `${FAILED}x` });
  const found = new PassingWays({ from: 'trials' }, [{ facts: { way: passed } }]).partingOf(trial);
  expect(found && found.parting.kind !== 'page' ? found.own : null).toBe(text);
});

test('the same control at the same place is the same, whatever locator was found for it', () => {
  const placed = (text: string, x: number) => {
    const made = way(text);
    const place = { control: 'x', x, y: 0, width: 80, height: 20 };
    Object.assign(made.actions[0]!, { did: 'filled field "Amount"', place });
    return made;
  };
  const ways = new PassingWays({ from: 'trials' }, [{ facts: { way: placed('a b', 0) } }]);
  const textOf = (x: number) => ways.partingOf(lostBy(placed('other', x)))?.parting.text;
  expect(textOf(10)).toBe('after turn 1: the passing trial did b, this one ended');
  expect(textOf(400)).toContain('turn 1: the passing trial filled');
});

describe('a failing trial beside passing ones', () => {
  test.each<[string, passing: string, lost: string, when: string, theirs: string, own: string]>([
    ['another action', 'a b c', 'a x', 'turn 2', 'did b', 'did x'],
    ['a detour that comes back', 'a b c', 'a x y b z', 'turn 5', 'did c', 'did z'],
    ['nothing more', 'a b', 'a', 'after turn 1', 'did b', 'ended'],
    ['an action again and again', 'a b c', 'a b b b', 'turn 3', 'did c', 'did b again'],
    ['from the start again', 'a b c', 'a b x a b', 'turn 3', 'did c', 'did x'],
    ['fields in another order', 'a b c d', 'b a c x', 'turn 4', 'did d', 'did x'],
    ['another page', 'a /pay:b', 'a /home:x', 'turn 1', 'did a and came to /pay', 'came to /home'],
    ['the same page', 'a /pay:b', 'a a', 'turn 1', 'did a and came to /pay', 'stayed on /'],
    ['another page at the end', 'a > /x', 'a > /y', 'turn 1', 'did a and came to /x', 'came to /y'],
    ['the right page by another action', 'a /list:b', 'x /list:y', 'turn 2', 'did b', 'did y'],
    ['the right page at last', 'a /list:b', 'x > /list', 'after turn 1', 'did b', 'ended'],
    ['an action left out', 'a b c', 'a c', 'before turn 2', 'did b', 'never did'],
    ['the end by another way', 'a b > /end', 'x y > /end', 'turn 1', 'did a', 'did x'],
    ['the end too early', 'a b c > /end', 'a b > /end', 'after turn 2', 'did c', 'ended'],
    ['something more, and then the end', 'a b > /end', 'a x b > /end', 'turn 2', 'never did x', 'did'],
    ['something twice, and then the end', 'a b > /end', 'a a b > /end', 'turn 2', 'never did a again', 'did'],
    ['another start', 'a', '/closed:x > /closed', 'turn 1', 'began on /', 'on /closed'],
    ['went on', 'a', 'a x', 'turn 2', 'had ended', 'did x'],
  ])('%s', (_name, text, lost, when, theirs, own) => {
    expect(textOf(passing(text), lost)).toBe(`${when}: the passing trial ${theirs}, this one ${own}`);
  });

  test.each<[string, passing: string[], lost: string, string | null]>([
    ['several', ['a b', 'a b'], 'a x', 'turn 2: passing trials did b, this one did x'],
    [
      'an action left out that not all did',
      ['a b c', 'a c', 'a b c'],
      'x c',
      'before turn 2: passing trials did a, this one never did',
    ],
    ['the end by the way of a few', ['a b > /end', 'a b > /end', 'a > /end'], 'a > /end', null],
    ['more that another did, too', ['a b > /end', 'a b > /end', 'x a b > /end'], 'a x b > /end', null],
    ['went on as others did', ['a', 'a b'], 'a x', null],
    ['most had ended', ['a', 'a', 'a b'], 'a x', 'turn 2: 2 of 3 passing trials had ended, this one did x'],
    ['the same way', ['a b'], 'a b', null],
    ['no actions at all', ['a'], '', null],
    ['nothing to compare with', [], 'a', null],
    ['passing trials without actions', [''], 'a', null],
    ['most', ['a b', 'a b', 'a c'], 'a x', 'turn 2: 2 of 3 passing trials did b, this one did x'],
    ['passing trials that agree on nothing', ['a b', 'a c'], 'a x', null],
    ['the nearest way', ['a b z', 'q b z', 'q b z'], 'a x', 'turn 2: passing trials did b, this one did x'],
  ])('%s', (_name, texts, lost, expected) => {
    expect(textOf(passing(...texts), lost)).toBe(expected);
  });

  test.each([
    ['gave_up', 'gave up'],
    ['max_steps', 'had no turns left'],
    ['timed_out', 'ran out of time'],
    ['budget_exceeded', 'reached its cost cap'],
  ])('that did nothing more and ended as %s', (status, words) => {
    expect(textOf(passing('a b'), 'a', status)).toBe(
      `after turn 1: the passing trial did b, this one ${words}`,
    );
  });

  test.each<[PassingTrials, string]>([
    [{ from: 'project', project: 'opus' }, 'the passing trial of "opus"'],
    [{ from: 'baseline' }, 'the last passing trial'],
    [{ from: 'recording' }, 'the recording'],
  ])('%j', (who, words) => {
    expect(textOf(passing('a b'), 'a x', 'completed', who)).toBe(`turn 2: ${words} did b, this one did x`);
  });
});

describe('actions that an agent does not tell', () => {
  const untold = (...keys: string[]): Way => ({
    actions: keys.map((key, index) => ({
      turn: index + 1,
      path: '/',
      did: `did: ${key}`,
      key: `${UNTOLD}${key}`,
    })),
    end: '/',
  });
  const partingOf = (ways: Way[], lost: Way) =>
    new PassingWays(
      { from: 'trials' },
      ways.map((way, index) => ({ trial: { index }, facts: { way } })),
    ).partingOf(lostBy(lost))?.parting ?? null;

  test('are compared by its own words, if all passing trials have the same', () => {
    expect(partingOf([untold('a', 'b'), untold('a', 'b')], untold('a', 'x'))?.text).toBe(
      'turn 2: passing trials did: b, this one did: x',
    );
    expect(partingOf([untold('a', 'b'), untold('a', 'b'), untold('a', 'c')], untold('a', 'x'))).toBeNull();
  });

  test('say nothing if only they differ', () => {
    expect(partingOf([untold('a', 'b')], untold('a', 'x', 'b'))).toBeNull();
  });

  test('are not compared with told ones', () => {
    expect(partingOf([way('a b')], untold('x', 'y'))).toBeNull();
    expect(partingOf([untold('a', 'b')], way('x y'))).toBeNull();
  });

  test('passing trials that did nothing are no way to be left', () => {
    const failed = { turn: 1, path: '/', did: 'failed at: a', key: `${FAILED}a` };
    expect(partingOf([way('')], { actions: [failed], end: '/' })).toBeNull();
  });

  test('what it sought in vain at the end, passing trials may have read', () => {
    const lost = way('a');
    lost.actions.push({ turn: 2, path: '/', did: 'failed at: Read "b"', key: `${FAILED}Read "b"` });
    expect(partingOf([way('a')], lost)).toBeNull();
  });

  test('an action that failed is told as such', () => {
    const lost = way('a');
    lost.actions.push({ turn: 2, path: '/', did: 'failed at: click "b"', key: `${FAILED}click "b"` });
    expect(partingOf([way('a b')], lost)?.text).toBe(
      'turn 2: the passing trial did b, this one failed at: click "b"',
    );
  });
});

const anyWay = fc
  .array(fc.tuple(fc.constantFrom('/', '/cart', '/pay'), fc.constantFrom('a', 'b', 'c', 'd')), {
    maxLength: 8,
  })
  .map(actions => actions.map(([path, key]) => `${path}:${key}`).join(' '));

test('passing trials in any order: the same parting', () => {
  fc.assert(
    fc.property(fc.array(anyWay, { maxLength: 6 }), anyWay, fc.integer(), (texts, lost, seed) => {
      const trials = passing(...texts);
      const shuffled = [...trials].sort(
        (a, b) => ((a.trial!.index * 7 + seed) % 5) - ((b.trial!.index * 7 + seed) % 5),
      );
      const partingOf = (ways: PassingTrial[]) =>
        new PassingWays({ from: 'trials' }, ways).partingOf(lostBy(way(lost)));
      expect(partingOf(shuffled)).toEqual(partingOf(trials));
    }),
  );
});

test('a trial that did what a passing one did is not said to have parted', () => {
  fc.assert(
    fc.property(fc.array(anyWay, { minLength: 1, maxLength: 6 }), texts => {
      expect(textOf(passing(...texts), texts[0]!)).toBeNull();
    }),
  );
});

test('what is said of it is so: it did the one, and never the other again; or something more', () => {
  fc.assert(
    fc.property(fc.array(anyWay, { minLength: 1, maxLength: 6 }), anyWay, (texts, text) => {
      const lost = way(text);
      const found = new PassingWays({ from: 'trials' }, passing(...texts)).partingOf(lostBy(lost))?.parting;
      if (found?.kind !== 'action' && found?.kind !== 'extra') return;
      const { kind, expected, actual } = found;
      expect(lost.actions.some(action => action.turn === actual.turn && action.did === actual.did)).toBe(
        true,
      );
      const { did, path } = kind === 'extra' ? actual : expected;
      const times = (actions: Way['actions']) =>
        actions.filter(action => action.did === did && action.path === path).length;
      const theirs = Math.max(...passing(...texts).map(({ facts }) => times(facts.way.actions)));
      if (kind === 'extra') expect(times(lost.actions)).toBeGreaterThan(theirs);
      else expect(times(lost.actions)).toBeLessThan(theirs);
    }),
  );
});

test('ten thousand trials, no two alike', () => {
  const long = (index: number) =>
    Array.from({ length: 25 }, (_, step) => (step % 3 ? `s${step}` : `r${index}-${step}`)).join(' ');
  const trials = passing(...Array.from({ length: 5_000 }, (_, index) => long(index)));
  const ways = new PassingWays({ from: 'trials' }, trials);
  const start = performance.now();
  for (let index = 0; index < 5_000; index++)
    ways.partingOf(lostBy(way(`${long(index + 5_000).slice(0, 100)} x`)));
  // A bound against all pairs, which would take minutes.
  expect(performance.now() - start).toBeLessThan(30_000);
});
