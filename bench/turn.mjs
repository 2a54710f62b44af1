// The time from the choice of an action to the next request to the model: claude() in a real trial, which shows what
// changed; the bare Playwright call with one picture and the tree; and the other tools. All on the same page, in turn.
import { bare, ours } from './lib/adapters.mjs';
import { OTHER_TOOLS } from './lib/other-tools.mjs';
import { median, ratios } from './lib/report.mjs';
import { startSite } from './lib/site.mjs';

const KINDS = [
  ...['click', 'click_at', 'form_input', 'type', 'key', 'hover', 'scroll'],
  ...['screenshot', 'read_page', 'page_text', 'navigate'],
];
/** These look at the page themselves. */
const LOOKS = ['screenshot', 'read_page', 'page_text'];
const AT_MOST_BARE = 1.5;
const AT_LEAST_FASTER = 5;

const TARGETS = {
  '/shop': { button: 'Add plant 1 to basket', field: 'Search' },
  '/login': { button: 'Sign in', field: 'Email' },
};

export async function turn({ quick, others }) {
  const shop = await measureTurns({ quick, page: '/shop', others });
  const login = quick ? undefined : await measureTurns({ page: '/login', others: false });
  const rows = [
    ...againstBare(shop, 'shop of 60 cards'),
    ...(login ? againstBare(login, 'login form') : []),
    ...againstOthers(shop, others),
  ];
  return {
    title: 'from the chosen action to the next model request',
    rows,
    details: { unit: 'ms, one for each round', shop, login },
  };
}

function againstBare({ times }, where) {
  return Object.entries(times).flatMap(([kind, { bare, ours }]) =>
    bare && ours
      ? [
          {
            name: `${kind} on the ${where}: ours / bare call and picture`,
            ...ratios(ours, bare),
            unit: 'x',
            target: { atMost: AT_MOST_BARE },
            note: `${median(ours).toFixed(0)} ms / ${median(bare).toFixed(0)} ms${LOOKS.includes(kind) ? '' : ' with the tree'}`,
          },
        ]
      : [],
  );
}

function againstOthers({ times, problems, names, done }, wanted) {
  if (!wanted) return [];
  return OTHER_TOOLS.flatMap(([who]) => {
    if (!names[who])
      return [{ name: who, value: null, unit: 'x', note: problems[who]?.split('\n')[0] ?? 'not installed' }];
    return Object.entries(times).flatMap(([kind, each]) => {
      const { [who]: theirs } = each;
      const { ours } = each;
      if (problems[`${who}: ${kind}`] && !theirs)
        return [
          {
            name: `${kind}: ${who}`,
            value: null,
            unit: 'x',
            note: problems[`${who}: ${kind}`]?.split('\n')[0],
          },
        ];
      if (!theirs || !ours) return [];
      return [
        {
          name: `${kind}: ${who} / ours`,
          ...ratios(theirs, ours),
          unit: 'x',
          target: { atLeast: AT_LEAST_FASTER },
          note: `${median(theirs).toFixed(0)} ms / ${median(ours).toFixed(0)} ms${names[who]?.note ? `; ${names[who]?.note}` : ''}${didIt(kind, done[who])}`,
        },
      ];
    });
  });
}

function didIt(kind, done) {
  const seen = { click: done?.clicks, form_input: done?.typed, scroll: done?.scrolled }[kind];
  return seen === 0 ? ' THE PAGE SAW NO SUCH ACTION' : '';
}

/** @param {{ quick?: boolean, page: '/shop' | '/login', others: boolean }} options `quick`: one round, without a warm-up */
async function measureTurns({ quick = false, page, others }) {
  const rounds = quick ? [1] : [0, 1, 2, 3, 4, 5, 6, 7];
  const comparison = new Comparison(await startSite(), page);
  try {
    const each = who => rounds.map(() => comparison.url(who));
    await comparison.add('bare', () => bare(TARGETS[page]));
    await comparison.add('ours', () => ours(each('ours')));
    if (others) for (const [who, make] of OTHER_TOOLS) await comparison.add(who, make);
    for (const round of rounds) await comparison.round(round);
  } finally {
    await comparison.stop();
  }
  const { times, problems, names, done } = comparison;
  return { times, problems, names, done };
}

/** Plays several tools on one page, action by action in turn. */
class Comparison {
  /** Milliseconds by kind and tool, one for each round. @type {Record<string, Record<string, number[]>>} */
  times = {};
  /** What went wrong, by tool or by tool and kind. @type {Record<string, string>} */
  problems = {};
  names = {};
  #adapters = new Map();
  /** The request of each tool that waits for its next action. @type {Map<string, import('./lib/server.mjs').HeldRequest>} */
  #held = new Map();
  #site;
  #page;

  constructor(site, page) {
    this.#site = site;
    this.#page = page;
  }

  url(who, path = this.#page) {
    return `${this.#site.url}${path}?who=${encodeURIComponent(who)}`;
  }

  async add(who, make) {
    await this.#attempt(who, async () => {
      const adapter = await make();
      this.#adapters.set(who, adapter);
      const { name, note, blind } = adapter;
      this.names[who] = { name, note, blind };
    });
  }

  /** One session of each tool: every kind of action once, one tool after the other. Round 0 is a warm-up and not counted. */
  async round(round) {
    for (const who of [...this.#adapters.keys()]) await this.#open(who);
    const seen = this.#held.get('bare')?.body.observation ?? {};
    for (const kind of KINDS)
      for (const [who, adapter] of this.#adapters) {
        const url = this.url(who, '/next');
        const action = { kind, url, ...TARGETS[this.#page], text: `fern ${round}`, ...seen };
        const ms = await this.#attempt(`${who}: ${kind}`, () => this.#play(adapter, who, action));
        if (round === 0 || ms === undefined) continue;
        this.times[kind] ??= {};
        this.times[kind][who] = [...(this.times[kind][who] ?? []), ms];
      }
    for (const [who, adapter] of this.#adapters) {
      const last = this.#held.get(who);
      if (last) await adapter.leave(last);
    }
  }

  async stop() {
    for (const adapter of this.#adapters.values()) await adapter.stop();
    this.#site.stop();
  }

  /** What the pages of each tool saw in all sessions, since an action without effect would look fast. */
  get done() {
    return Object.fromEntries(
      [...this.#site.left].map(([who, pages]) => [
        who,
        {
          clicks: pages.reduce((sum, { clicks }) => sum + clicks, 0),
          scrolled: pages.filter(({ scrolled }) => scrolled > 0).length,
          typed: pages.filter(({ typed }) => typed !== '').length,
        },
      ]),
    );
  }

  async #open(who) {
    const adapter = this.#adapters.get(who);
    const request = await this.#attempt(who, () => adapter.open(this.url(who)));
    if (request) return this.#held.set(who, request);
    this.#adapters.delete(who);
    delete this.names[who];
    this.problems[who] += `\n${adapter.output().slice(-1_000)}`;
    await adapter.stop();
  }

  /** @returns {Promise<number | undefined>} milliseconds; undefined if it has no such action */
  async #play(adapter, who, action) {
    const request = this.#held.get(who);
    const answer = request && adapter.answerTo(request, action);
    if (answer === undefined) return undefined;
    request.answer(answer);
    const next = await adapter.server.next();
    this.#held.set(who, next);
    const problem = adapter.problem?.(next.body);
    if (problem) throw new Error(problem);
    return adapter.server.turnMs;
  }

  async #attempt(what, run) {
    try {
      return await run();
    } catch (error) {
      this.problems[what] = String(error).slice(0, 600);
      return undefined;
    }
  }
}
