// Which control without a name is what passing trials used.
import { expect, test } from 'vitest';
import type { Place } from '../../../../src/data/action';
import type { FoundInTheWay } from '../../../../src/data/diagnosis';
import type { Finding } from '../../../../src/data/record';
import { atPlace } from '../../../../src/verdicts/diagnosis/places';
import { factsOf } from '../../../../src/verdicts/diagnosis/way';
import { madeRecord } from '../../../support/records';

const place = (control: string, y: number, x = 0): Place => ({ control, x, y, width: 80, height: 30 });
const SOUGHT = place('button "Pay"', 100);
/** A text for each finding: where it is, if it is a control without a name, and whether it was relevant. */
const SEEN: Record<string, Partial<Finding>> = {
  icon: { place: place('button', 110) },
  other: { place: place('link', 500), relevant: true },
  banner: { relevant: true },
  // Of the same control as "other".
  off: { kind: 'disabled', locator: '#other', relevant: true },
};

test.each<[what: string, seen: string, controls: Place[], sought: Place | undefined, findings: string]>([
  ['the one at its place is it', 'icon other', [place('button', 110)], SOUGHT, 'icon'],
  ['what is elsewhere is not', 'other', [place('link "Help"', 100)], SOUGHT, ''],
  [
    'what is no control without a name stays',
    'icon other banner',
    [place('button', 110)],
    SOUGHT,
    'icon banner',
  ],
  ['nor another finding about the same control', 'other off', [place('link "Help"', 100)], SOUGHT, 'off'],
  ['if nothing is there, the page may be another', 'icon other', [place('link', 500)], SOUGHT, 'other'],
  ['nor if no control was noted', 'other', [], SOUGHT, 'other'],
  ['without a place, all stays as it is', 'icon other', [place('button', 110)], undefined, 'other'],
])('%s', (_, seen, controls, sought, expected) => {
  const findings = seen.split(' ').map(text => ({
    ...{ kind: 'no_name' as const, locator: `#${text}`, text, relevant: false },
    ...SEEN[text],
  }));
  const examination = { path: '/', findings, others: 0, controls };
  const facts = atPlace(factsOf(madeRecord({ outcome: 'failed', examination })), sought);
  const texts = (found: readonly FoundInTheWay[]) => found.map(({ text }) => text);
  expect(texts(facts.findings)).toEqual(expected.split(' ').filter(Boolean));
  expect(texts([...facts.findings, ...facts.others]).sort()).toEqual(seen.split(' ').sort());
});
