import { describe, expect, it } from 'vitest';
import { spread } from '../../../src/agents/lexical/spread';
import { coverage, similarity } from '../../../src/agents/lexical/tokens';
import { answers, parseDate, parseTime, valueForType } from '../../../src/agents/lexical/values';

describe('similarity', () => {
  it.each([
    ['Sign in', 'Sign in', 1, 1],
    ['SIGN IN', 'Sign in', 0.97, 0.99],
    ['Nisl,', 'nisl', 0.94, 0.96],
    ['Log in', 'Sign in', 0.8, 1],
    ['View basket', 'view cart', 0.6, 0.95],
    ['Pricing', 'price', 0.75, 1],
    ['Start your free trial', 'start a free trial', 0.7, 1],
    ['Remove', 'delete', 0.5, 0.95],
    ['Contact us', 'Sign in', 0, 0.05],
    ['', 'Sign in', 0, 0],
  ])('%j for %j is between %d and %d... %d', (label, wanted, least, most) => {
    const score = similarity(label, wanted);
    expect(score).toBeGreaterThanOrEqual(least);
    expect(score).toBeLessThanOrEqual(most);
  });

  it.each([
    ['cancel', 'Cancel', 'Cancel'],
    ['Sign up for free', 'Sign in', 'sign in'],
    ['Delete account', 'Account', 'account'],
    ['First name', 'Last name', 'last name'],
    ['Team plan details and prices', 'Team', 'team'],
  ])('likes %j less than %j for %j', (worse, better, wanted) => {
    expect(similarity(worse, wanted)).toBeLessThan(similarity(better, wanted));
  });
});

it('counts names and numbers more than other words', () => {
  expect(coverage('the message by Sam', 'a message by Kim')).toBeLessThan(
    coverage('the message by Sam', 'Sam wrote'),
  );
});

describe('values', () => {
  it.each([
    ['12/30/2016', '2016-12-30'],
    ['30/12/2016', '2016-12-30'],
    ['03.04.2024', '2024-04-03'],
    ['2024-4-3', '2024-04-03'],
    ['3rd of April 2024', '2024-04-03'],
    ['Apr. 3, 2024', '2024-04-03'],
  ])('reads %s as a date', (text, iso) => expect(valueForType('date', text)).toBe(iso));

  it.each(['hello', '99/99/2020', '3', 'April'])('reads no date in %s', text =>
    expect(parseDate(text)).toBeUndefined(),
  );

  it.each([
    ['4:08 PM', '16:08'],
    ['12:00 am', '00:00'],
    ['7 p.m.', '19:00'],
    ['16:30', '16:30'],
  ])('reads %s as a time', (text, time) => expect(valueForType('time', text)).toBe(time));

  it('reads no time in a bare number', () => expect(parseTime('12')).toBeUndefined());

  it('matches described items', () => {
    const wanted = { text: 'Ger', startsWith: 'Ger', endsWith: 'ny' };
    expect(['Germany', 'Georgia', 'Gerona'].filter(item => answers(item, wanted))).toEqual(['Germany']);
  });
});

describe('spread', () => {
  it.each([
    [
      'western films directed by Ford from year 1956',
      ['Genre', 'Director', 'Year:'],
      ['western', 'Ford', '1956'],
    ],
    [
      'jazz records by artist Miles Davis in 1959',
      ['Artist name', 'Released (year)', 'Style'],
      ['Miles Davis', '1959', 'jazz'],
    ],
  ])('%s', (phrase, labels, values) => expect(spread(phrase, labels)).toEqual(values));

  it('is for phrases that say a label only', () =>
    expect(spread('blue mug', ['Search', 'Email'])).toBeUndefined());
});
