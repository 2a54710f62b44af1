// Looks for what is not on the page as it stands: opens tabs, sections and menus, turns pages, follows the
// links that sound right, and goes back where a way is dead.

import { hostAllowed } from '../../browser/hosts';
import type { Driver } from './driver';
import { CLICKABLE, isField } from './match';
import { scopeMeter } from './scope';
import { coverage, fold, similarity } from './tokens';
import type { Candidate } from './view';

/** What is looked for, in words. */
export interface Clue {
  words: string;
  /** Where it should stand: its row, card or post. */
  scope: string;
  /** What the goal found before: opening that may show it. */
  subject: string;
  /** The goal says that it is inside something. */
  inside: boolean;
}

interface Way {
  candidate: Candidate;
  score: number;
}

const MORE =
  /^(?:(?:show|load|see|view|read)? ?more\b.*|(?:see|view|show) all\b.*|menu|☰|≡|⋮|⋯|\.\.\.|…|options|expand\b.*|\+|▸|►|▶)$/i;
const MORE_HINT = /\b(?:more|hamburger|kebab|accordion|collaps\w*|expand\w*|toggle)\b/i;
const NEXT_PAGE = /^(?:next(?: page)?|older(?: posts)?|[>›»→]+)$/i;
const HARMFUL =
  /\b(?:delete|remove|log ?out|sign ?out|pay|buy|purchase|order|unsubscribe|submit|send|reset|download|print|share)\b/i;

/** What stands within a line is rather a link than the head of a section. */
const INLINE = /^(?:a|span|b|strong|em|i|u|font|small)$/;

/** How likely a thing unfolds more of the same page, by its kind alone. */
function unfolds(candidate: Candidate): number {
  const { role, expanded, selected, popup, pointer } = candidate;
  if ((role === 'text' || role === 'heading') && !pointer) return 0;
  if (expanded !== null) return expanded ? 0 : 0.62;
  if (role === 'tab') return selected ? 0 : 0.6;
  return Math.max(saysMore(candidate), popup ? 0.5 : 0, byRole(candidate));
}

function saysMore({ name, hint }: Candidate): number {
  if (MORE.test(fold(name)) || MORE_HINT.test(hint)) return 0.55;
  return NEXT_PAGE.test(fold(name)) ? 0.5 : 0;
}

function byRole({ role, tag, name, href }: Candidate): number {
  if (role === 'clickable') return INLINE.test(tag) ? 0.25 : name.length > 80 ? 0.2 : 0.45;
  if (role === 'link') return /#[\w-]*$/.test(href) ? 0.35 : 0;
  return { treeitem: 0.5, menuitem: 0.3, gridcell: 0.3 }[role] ?? 0;
}

/** How many links that don't sound right are followed in one search. */
const MAX_BLIND = 4;

const path = (url: string) => url.replace(/#.*$/, '');

interface Hearing {
  wanted: number;
  goal: number;
  subject: number;
}

/** How much of what is looked for a label says. */
function heard(said: string, { words, subject }: Clue, goal: string): Hearing {
  const partly = 0.8 * coverage(said, words) * (said.length < 40 ? 1 : 0.4);
  return {
    wanted: Math.max(similarity(said, words), partly),
    goal: coverage(said, goal),
    subject: subject === '' ? 0 : Math.max(similarity(said, subject), coverage(subject, said) ** 2),
  };
}

/** Buttons do things: only what the goal asks for is pressed to see what it opens. */
function isRisky({ role }: Candidate, said: string, kind: number, { wanted, goal }: Hearing): boolean {
  if (HARMFUL.test(said) && wanted < 0.6) return true;
  return role === 'button' && kind === 0 && wanted < 0.5 && goal < 0.75;
}

export class Explorer {
  readonly #driver: Driver;
  readonly #tried = new Set<string>();
  /** Pages that were left by following a link, the last one last. */
  readonly #trail: string[] = [];
  #blind = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  get depth(): number {
    return this.#trail.length;
  }

  #leaves({ role, href }: Candidate): boolean {
    return role === 'link' && /^https?:/.test(href) && path(href) !== path(this.#driver.view.url);
  }

  /** Whether opening a thing may be tried at all. */
  #isOpen(candidate: Candidate): boolean {
    if (isField(candidate) || candidate.disabled || this.#driver.refused(candidate)) return false;
    if (/^skip to\b/i.test(candidate.name)) return false;
    if (candidate.href && !/^(?:https?|javascript|blob):/.test(candidate.href)) return false;
    return !this.#leaves(candidate) || hostAllowed(candidate.href, this.#driver.task.allowedDomains);
  }

  #score(candidate: Candidate, clue: Clue, meter: (candidate: Candidate) => number): number {
    const said = candidate.name || candidate.title || (candidate.role === 'icon' ? '' : candidate.near);
    if (said === '' && candidate.hint === '') return 0;
    const leaves = this.#leaves(candidate);
    const kind = leaves ? 0.12 : unfolds(candidate);
    const hearing = heard(said, clue, this.#driver.task.goal);
    const clickable = kind > 0 || candidate.pointer || CLICKABLE.test(candidate.role);
    if (!clickable) return hearing.subject > 0.75 ? 0.5 : 0;
    if (isRisky(candidate, said, kind, hearing)) return 0;
    // What is nearly what is looked for is the last resort, not a way to it; nor is a link beside it.
    if (clue.inside && (kind < 0.3 || similarity(said, clue.words) >= 0.9)) return 0;
    const place = clue.scope === '' ? 0 : 0.35 * (meter(candidate) - 0.45);
    const inside = clue.inside && !leaves && kind > 0 ? 0.3 : 0;
    const margin = candidate.zones.includes('footer') ? -0.08 : 0;
    const words = 0.55 * hearing.wanted + 0.2 * hearing.goal + 0.6 * hearing.subject;
    return kind + words + place + inside + margin + 0.03 * this.#driver.tie(candidate);
  }

  #ways(clue: Clue): Way[] {
    const open = this.#driver.view.candidates.filter(
      candidate => !this.#tried.has(this.#keyOf(candidate)) && this.#isOpen(candidate),
    );
    const meter = scopeMeter(open, clue.scope);
    return open
      .map(candidate => ({ candidate, score: this.#score(candidate, clue, meter) }))
      .filter(({ candidate, score }) => score >= this.#least(candidate, clue))
      .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
  }

  /** A link that does not sound right is a last resort, and only from where the search began. */
  #least(candidate: Candidate, clue: Clue): number {
    if (clue.inside) return 0.6;
    if (this.depth > 0) return 0.45;
    return this.#leaves(candidate) && this.#blind < MAX_BLIND ? 0.1 : 0.3;
  }

  #keyOf(candidate: Candidate): string {
    const paged = NEXT_PAGE.test(fold(candidate.name)) ? this.#driver.view.print : '';
    return candidate.href && !/#[\w-]*$/.test(candidate.href)
      ? candidate.href
      : `${path(this.#driver.view.url)} ${candidate.key.split(':').at(-1)} ${candidate.name} ${paged}`;
  }

  /** One move of the search: opens something, follows a link, goes back or scrolls. False where nothing is left to try. */
  async step(clue: Clue, reserve: number): Promise<boolean> {
    const driver = this.#driver;
    if (driver.task.turnsLeft <= reserve) return false;
    const way = this.depth <= driver.settings.depth ? this.#ways(clue)[0] : undefined;
    if (way) {
      this.#tried.add(this.#keyOf(way.candidate));
      if (way.score < 0.3) this.#blind++;
      await this.#follow(way.candidate);
      return true;
    }
    if (this.depth > 0) {
      await this.#back();
      return true;
    }
    return this.#scroll();
  }

  async #follow(candidate: Candidate): Promise<void> {
    const driver = this.#driver;
    const [from, page] = [path(driver.view.url), driver.page];
    await driver.click(candidate);
    if (driver.page !== page || path(driver.view.url) !== from) this.#trail.push(from);
  }

  async #back(): Promise<void> {
    const driver = this.#driver;
    const to = this.#trail.pop()!;
    await driver.turn('go back', async () => {
      await driver.recorder.record(driver.page, { do: 'back' });
      const went = await driver.page.goBack({ timeout: 5000, waitUntil: 'domcontentloaded' });
      if (!went || path(driver.page.url()) !== to)
        await driver.page.goto(to, { timeout: 5000, waitUntil: 'domcontentloaded' });
    });
  }

  /** Back to the page where the search began. */
  async home(): Promise<void> {
    while (this.depth > 0 && this.#driver.task.turnsLeft > 0) {
      this.#trail.splice(1);
      await this.#back();
    }
  }

  /** What was followed led to what was looked for: that is where the next search begins. */
  arrived(): void {
    this.#trail.length = 0;
  }

  async #scroll(): Promise<boolean> {
    const { y, height, viewport } = this.#driver.view.scroll;
    const key = `scroll ${this.#driver.view.print}`;
    if (y + viewport >= height - 4 || this.#tried.has(key)) return false;
    this.#tried.add(key);
    const { page, recorder } = this.#driver;
    const outcome = await this.#driver.turn('scroll down', async () => {
      await recorder.record(page, { do: 'scroll', x: 0, y: viewport * 2 });
      await page.mouse.wheel(0, viewport * 2);
    });
    return outcome.changed;
  }
}
