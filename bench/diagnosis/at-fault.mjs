// Tasks at which the agent itself fails. The diagnosis must not blame the site.
import { layout, svg } from './variants.mjs';

/** A site with faults that don't affect this task. */
const ELSEWHERE = {
  change: /** @type {import('./variants.mjs').Variant['change']} */ ([
    [
      layout,
      '<footer class="site-footer">',
      `<footer class="site-footer"><button class="top">${svg}</button><input class="mail"><canvas width="200" height="60"></canvas>`,
    ],
  ]),
};

/** @type {import('./variants.mjs').Variant[]} The players are the causes: nothing on the site may be blamed. */
export const AT_FAULT = [
  {
    id: 'stops-early',
    task: 'order-snake-plant',
    cause: 'the agent stops in the basket',
    named: { said: /./ },
    players: ['stops-early'],
  },
  {
    id: 'wrong-plan',
    task: 'start-team-trial',
    cause: 'the agent takes the plan "Solo"',
    named: { said: /Solo|Team/ },
    players: ['wrong-plan'],
  },
  {
    id: 'wrong-field',
    task: 'report-broken-pot',
    cause: 'the agent leaves the topic out',
    named: { said: /Topic|422|api\/messages/ },
    players: ['wrong-field'],
  },
  {
    id: 'wrong-plant',
    task: 'find-boston-fern',
    cause: 'the agent opens another fern',
    named: { said: /[Aa]sparagus/ },
    players: ['wrong-plant'],
  },
  {
    id: 'forgets-terms',
    task: 'order-snake-plant',
    cause: 'the agent does not agree to the terms',
    named: { said: /terms|api\/orders|422/ },
    players: ['forgets-terms'],
    ...ELSEWHERE,
  },
  {
    id: 'never-acts',
    task: 'set-reminder-day',
    cause: 'the agent does nothing',
    named: { said: /./ },
    players: ['never-acts'],
    ...ELSEWHERE,
  },
];
