// From the moment an action is chosen to the moment the next model request leaves: claude() in a real trial, the bare
// Playwright call with one picture, and the neighbours, on the same page, by turns.
import { NEIGHBOURS } from './lib/neighbour-seats.mjs';
import { Race } from './lib/race.mjs';
import { bareSeat, ourSeat } from './lib/seats.mjs';
import { median, ratios } from './lib/statistics.mjs';

const KINDS = [
  ...['click', 'click_at', 'form_input', 'type', 'key', 'hover', 'scroll'],
  ...['screenshot', 'read_page', 'page_text', 'navigate'],
];
/** These are looks at the page themselves. */
const LOOKS = ['screenshot', 'read_page'];
const AT_MOST_BARE = 1.5;
const AT_LEAST_FASTER = 5;

/** @typedef {import('./lib/race.mjs').Times} Times */

/**
 * @param {{ rounds: number, page: '/shop' | '/login', neighbours: boolean, kinds?: string[], nodeArgs?: string[] }} options
 */
export async function measureTurns({ rounds, page, neighbours, kinds = KINDS, nodeArgs }) {
  const race = await Race.on(page);
  try {
    await race.add('bare', () => bareSeat(race.places));
    await race.add('ours', () => ourSeat(race.url('ours'), rounds + 1, { nodeArgs }));
    await race.add('seeing', () => ourSeat(race.url('seeing'), rounds + 1, { sees: true }));
    if (neighbours) for (const [who, , make] of NEIGHBOURS) await race.add(who, make);
    for (let round = 0; round <= rounds; round++) await race.round(kinds, round);
  } finally {
    await race.stop();
  }
  const { times, troubles, names, done } = race;
  return { times, troubles, names, done };
}

/** @param {{ quick: boolean, neighbours: boolean }} options @returns {Promise<{ title: string, rows: import('./lib/report.mjs').Row[], details: unknown }>} */
export async function turn({ quick, neighbours }) {
  const rounds = quick ? 1 : 7;
  const shop = await measureTurns({ rounds, page: '/shop', neighbours });
  const login = await measureTurns({ rounds, page: '/login', neighbours: false });
  const rows = [
    ...againstBare(shop, 'shop of 60 cards'),
    ...againstBare(login, 'login form'),
    ...againstNeighbours(shop, neighbours),
  ];
  return {
    title: 'from the chosen action to the next model request',
    rows,
    details: { unit: 'ms, one for each round', shop, login },
  };
}

/** @param {{ times: Times }} measured @param {string} where @returns {import('./lib/report.mjs').Row[]} */
function againstBare({ times }, where) {
  return Object.entries(times).flatMap(([kind, { bare, ours }]) =>
    bare && ours
      ? [
          {
            name: `${kind} on the ${where}: ours / bare call and picture`,
            ...ratios(ours, bare),
            unit: 'x',
            target: { atMost: AT_MOST_BARE },
            note: `${median(ours).toFixed(0)} ms / ${median(bare).toFixed(0)} ms`,
          },
        ]
      : [],
  );
}

/**
 * @param {Awaited<ReturnType<typeof measureTurns>>} measured
 * @param {boolean} wanted
 * @returns {import('./lib/report.mjs').Row[]}
 */
export function againstNeighbours({ times, troubles, names, done }, wanted) {
  if (!wanted) return [];
  return NEIGHBOURS.flatMap(([who]) => {
    if (!names[who])
      return [{ name: who, value: null, unit: 'x', note: troubles[who]?.split('\n')[0] ?? 'not installed' }];
    return Object.entries(times).flatMap(([kind, each]) => {
      const { [who]: theirs } = each;
      // Like with like: who looks at the page within the turn is compared with a turn of ours that does.
      const looks = !names[who]?.blind && !LOOKS.includes(kind);
      const ours = looks ? each.seeing : each.ours;
      if (troubles[`${who}: ${kind}`] && !theirs)
        return [
          {
            name: `${kind}: ${who}`,
            value: null,
            unit: 'x',
            note: troubles[`${who}: ${kind}`]?.split('\n')[0],
          },
        ];
      if (!theirs || !ours) return [];
      return [
        {
          name: `${kind}: ${who} / ours${looks ? ' with the page read' : ''}`,
          ...ratios(theirs, ours),
          unit: 'x',
          target: { atLeast: AT_LEAST_FASTER },
          note: `${median(theirs).toFixed(0)} ms / ${median(ours).toFixed(0)} ms${names[who]?.note ? `; ${names[who]?.note}` : ''}${didIt(kind, done[who])}`,
        },
      ];
    });
  });
}

/** @param {string} kind @param {{ clicks: number, scrolled: number, typed: number } | undefined} done */
function didIt(kind, done) {
  const seen = { click: done?.clicks, form_input: done?.typed, scroll: done?.scrolled }[kind];
  return seen === 0 ? ' THE PAGE SAW NO SUCH ACTION' : '';
}
