// Contestants on one page, action by action in turn.
import { startSite } from './site.mjs';

/** @typedef {import('./seats.mjs').Seat} Seat */
/** @typedef {import('./door.mjs').Asked} Asked */
/** @typedef {Record<string, Record<string, number[]>>} Times milliseconds by kind and contestant, one for each round */
/** @typedef {{ clicks: number, scrolled: number, typed: number }} Sums of what a contestant's pages saw in all sessions */

const PLACES = {
  '/shop': { button: 'Add plant 1 to basket', field: 'Search' },
  '/login': { button: 'Sign in', field: 'Email' },
};

export class Race {
  /** @type {Times} */
  times = {};
  /** What went wrong, by contestant or by contestant and kind. @type {Record<string, string>} */
  troubles = {};
  /** @type {Map<string, Seat>} */
  #seats = new Map();
  /** The request of each contestant that waits for its next action. @type {Map<string, Asked>} */
  #asked = new Map();
  /** @type {Awaited<ReturnType<typeof startSite>>} */
  #site;
  /** @type {Record<string, { name: string, note?: string, blind?: boolean }>} */
  names = {};

  /**
   * @param {Awaited<ReturnType<typeof startSite>>} site
   * @param {'/shop' | '/login'} page
   */
  constructor(site, page) {
    this.#site = site;
    this.page = page;
    this.places = PLACES[page];
  }

  /** @param {'/shop' | '/login'} page */
  static async on(page) {
    return new Race(await startSite(), page);
  }

  /** @param {string} who */
  url(who, path = this.page) {
    return `${this.#site.url}${path}?who=${encodeURIComponent(who)}`;
  }

  /** @param {string} who @param {() => Promise<Seat>} make */
  async add(who, make) {
    await this.#attempt(who, async () => {
      const seat = await make();
      this.#seats.set(who, seat);
      this.names[who] = { name: seat.name, note: seat.note, blind: seat.blind };
    });
  }

  /**
   * One session of each: every kind of action once, each contestant after the other.
   *
   * @param {readonly string[]} kinds
   * @param {number} round 0 warms up what starts lazily and is not counted
   */
  async round(kinds, round) {
    for (const who of [...this.#seats.keys()]) await this.#open(who);
    const seen = this.#asked.get('bare')?.body.observation ?? {};
    for (const kind of kinds)
      for (const [who, seat] of this.#seats) {
        const step = {
          kind,
          url: this.url(who, '/next'),
          ...this.places,
          text: `fern ${round}`,
          nth: 0,
          ...seen,
        };
        const ms = await this.#attempt(`${who}: ${kind}`, () => this.#play(seat, who, step));
        if (round > 0 && ms !== undefined) this.#count(kind, who, ms);
      }
    for (const [who, seat] of this.#seats) {
      const last = this.#asked.get(who);
      if (last) await seat.leave(last);
    }
  }

  async stop() {
    for (const seat of this.#seats.values()) await seat.stop();
    this.#site.stop();
  }

  /** An action that did nothing makes a quick turn: the pages tell. @returns {Record<string, Sums>} */
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

  /** @param {string} who */
  async #open(who) {
    const seat = this.#seats.get(who);
    const asked = await this.#attempt(who, async () => seat?.open(this.url(who)));
    if (asked) return void this.#asked.set(who, asked);
    this.#seats.delete(who);
    delete this.names[who];
    this.troubles[who] += `\n${seat?.output().slice(-1_000)}`;
    await seat?.stop();
  }

  /**
   * @param {Seat} seat
   * @param {string} who
   * @param {import('./seats.mjs').Step} step
   * @returns {Promise<number | undefined>} milliseconds; undefined where it has no such action
   */
  async #play(seat, who, step) {
    const now = this.#asked.get(who);
    const answer = now && seat.answerTo(now, step);
    if (!now || answer === undefined) return undefined;
    now.answer(answer);
    const next = await seat.door.next();
    this.#asked.set(who, next);
    const problem = seat.problem?.(next.body);
    if (problem) throw new Error(problem);
    return seat.door.turnMs;
  }

  /** @param {string} kind @param {string} who @param {number} ms */
  #count(kind, who, ms) {
    const each = this.times[kind] ?? {};
    this.times[kind] = each;
    each[who] = [...(each[who] ?? []), ms];
  }

  /** @template T @param {string} what @param {() => Promise<T>} run @returns {Promise<T | undefined>} */
  async #attempt(what, run) {
    try {
      return await run();
    } catch (error) {
      this.troubles[what] = String(error).slice(0, 600);
      return undefined;
    }
  }
}
