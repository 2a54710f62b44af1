// The ways of scripted agents through the example tasks, in another order than the goals'.
import { check, click, fill, select } from './moves.mjs';

const ORDER = [
  ['select "Medium" in "Size"', { do: 'select', labels: ['Medium: €41.60'] }, page => page.locator('#size')],
  click('button', 'Add to basket'),
  click('link', /^Basket/),
  click('link', 'Go to checkout'),
  fill('Postcode', '3511 AX'),
  fill('City', 'Utrecht'),
  fill('Street and house number', 'Kade 4'),
  fill('Email', 'mira@northwind.example'),
  fill('Full name', 'Mira Okafor'),
  select('Country', 'Netherlands'),
  check('I agree to the terms of sale'),
  check('Wrap it as a gift'),
  check('Express delivery'),
  click('button', 'Place order'),
];
const TRIAL = [
  click('button', 'Accept all cookies'),
  click('link', 'See the plans'),
  check('Team'),
  click('button', 'Start free trial'),
  select('Team size', '6 to 20 people'),
  fill('Company', 'Northwind Studio'),
  fill('Work email', 'mira@northwind.example'),
  check('I agree to the terms of service'),
  click('button', 'Create my account'),
];
const POT = [
  fill('Message', 'The pot of my Calathea arrived broken. Please send me a new one.'),
  check('Email'),
  fill('Your email', 'sam@harbour.example'),
  select('Topic', 'Delivery'),
  click('button', 'Send message'),
];
POT[1] = ['check "Email"', { do: 'check', checked: true }, page => page.locator('input[value=email]')];
const FERN = [
  fill('Search the shop', 'fern'),
  click('button', 'Search'),
  click('link', 'Boston fern'),
  ['open "Care instructions"', { do: 'click' }, page => page.getByText('Care instructions')],
];

/** Another way through each task, by the spec's id. @type {Record<string, import('./moves.mjs').Move[]>} */
export const WAYS = {
  'order-snake-plant': ORDER,
  'start-team-trial': TRIAL,
  'report-broken-pot': POT,
  'find-boston-fern': FERN,
  'register-sensor': [
    click('link', /^register your sensor/),
    check('It was a gift'),
    fill('Date of purchase', '2026-03-14'),
    fill('Serial number', 'TL-4821-K'),
    click('button', 'Register sensor'),
  ],
  'set-reminder-day': [
    fill('Password', 'violet-garden-7'),
    fill('User name', 'mira'),
    click('button', 'Log in'),
    check('Fahrenheit'),
    select('Reminder day', 'Friday'),
    check('Email me when a plant needs water'),
    click('button', 'Save settings'),
  ],
  'filter-pet-safe': [select('Sort by', 'Price: low to high'), check('Safe for pets'), check('Low light')],
  'check-delivery': [
    fill('Postcode', '1012 AB'),
    [
      'press Enter in "Postcode"',
      { do: 'press', key: 'Enter' },
      page => page.getByLabel('Postcode', { exact: true }),
    ],
  ],
  'read-release-notes': [click('link', 'Sensor setup'), click('link', /release notes/i)],
  'clear-overlays': [click('button', 'Accept all cookies'), click('button', /Dismiss/)],
  'empty-basket': [
    click('button', 'Add to basket'),
    click('link', /^Basket/),
    click('button', 'Empty basket'),
  ],
  'subscribe-newsletter': [
    click('button', 'Reject optional cookies'),
    [
      'fill "Email for the newsletter"',
      { do: 'fill', text: 'sam@harbour.example' },
      page => page.frameLocator('iframe').getByLabel('Email for the newsletter'),
    ],
    [
      'click button "Subscribe"',
      { do: 'click' },
      page => page.frameLocator('iframe').getByRole('button', { name: 'Subscribe' }),
    ],
  ],
};

/** Agents that are the cause of their failure themselves, by name. @type {Record<string, import('./moves.mjs').Move[]>} */
export const FAULTS = {
  'stops-early': ORDER.slice(0, 3),
  'wrong-plan': TRIAL.filter((_, index) => index !== 2),
  'wrong-field': POT.filter((_, index) => index !== 3),
  'wrong-plant': [...FERN.slice(0, 2), click('link', 'Asparagus fern')],
  'forgets-terms': ORDER.filter((_, index) => index !== 10),
  'never-acts': [],
};
