// How well a thing on the page answers what an instruction points at, 0 to 1.

import { scopeMeter } from './scope';
import type { Kind, Reading, Target } from './targets';
import { coverage, fold, similarity, tokens } from './tokens';
import type { Candidate } from './view';

export interface Match {
  candidate: Candidate;
  score: number;
}

/** Below this nothing is clicked. */
export const ENOUGH = 0.5;
/** Matches that close to the best one count as the same thing said twice. */
const PEER = 0.93;

const TEXT_FIELD = /^(?:textbox|searchbox|combobox|spinbutton)$/;
const FIELD = /^(?:textbox|searchbox|combobox|listbox|spinbutton|slider|checkbox|radio|switch|file|color)$/;
const CONTROL = /^(?:button|link|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|gridcell)$/;
export const CLICKABLE = /^(?:button|link|tab|menuitem|clickable|icon)$/;

export const isField = (candidate: Candidate) => FIELD.test(candidate.role);
export const isTextField = (candidate: Candidate) =>
  TEXT_FIELD.test(candidate.role) &&
  candidate.tag !== 'select' &&
  !(candidate.role === 'combobox' && candidate.tag !== 'input' && candidate.tag !== 'textarea');

type Fit = readonly (readonly [RegExp, number])[];

/** For each kind: which roles are it, and how far others may stand in for it. */
const FITS: Readonly<Record<Kind, Fit>> = {
  button: [
    [/^button$/, 1],
    [/^(?:clickable|menuitem|tab|icon)$/, 0.95],
    [/^(?:link|option|checkbox|switch)$/, 0.9],
    [/^text$/, 0.7],
  ],
  link: [
    [/^link$/, 1],
    [/^(?:clickable|menuitem)$/, 0.92],
    [/^(?:button|tab)$/, 0.8],
    [/^(?:text|heading)$/, 0.66],
  ],
  field: [
    [/^(?:textbox|searchbox|combobox|spinbutton|file)$/, 1],
    [/^(?:listbox|slider|color)$/, 0.8],
  ],
  checkbox: [
    [/^(?:checkbox|switch|menuitemcheckbox)$/, 1],
    [/^radio$/, 0.6],
    [/^(?:clickable|text)$/, 0.55],
  ],
  radio: [
    [/^(?:radio|menuitemradio)$/, 1],
    [/^checkbox$/, 0.6],
    [/^(?:clickable|text)$/, 0.55],
  ],
  list: [
    [/^(?:combobox|listbox)$/, 1],
    [/^(?:button|clickable|menu)$/, 0.7],
  ],
  tab: [
    [/^tab$/, 1],
    [/^(?:link|button|clickable)$/, 0.85],
    [/^text$/, 0.6],
  ],
  item: [
    [/^(?:menuitem\w*|option|treeitem|radio)$/, 1],
    [/^(?:link|button|clickable)$/, 0.95],
    [/^(?:text|heading|checkbox)$/, 0.85],
  ],
  icon: [
    [/^icon$/, 1],
    [/^(?:button|link|clickable)$/, 0.95],
    [/^text$/, 0.5],
  ],
  slider: [
    [/^slider$/, 1],
    [/^spinbutton$/, 0.8],
    [/^clickable$/, 0.5],
  ],
  spinner: [
    [/^spinbutton$/, 1],
    [/^(?:textbox|slider)$/, 0.8],
  ],
  dialog: [
    [/^button$/, 1],
    [/^(?:link|clickable|icon)$/, 0.9],
  ],
  section: [
    [/^(?:button|tab|clickable|treeitem)$/, 1],
    [/^(?:heading|link)$/, 0.85],
    [/^text$/, 0.7],
  ],
  result: [
    [/^link$/, 1],
    [/^clickable$/, 0.9],
    [/^(?:button|heading|option)$/, 0.8],
  ],
  date: [
    [/^(?:textbox|combobox|spinbutton)$/, 1],
    [/^(?:button|clickable)$/, 0.8],
  ],
  page: [
    [/^link$/, 1],
    [/^(?:menuitem|tab|button|clickable)$/, 0.92],
    [/^(?:text|heading)$/, 0.55],
  ],
};

/** How far a candidate is the kind of thing asked for. */
function kindFit(candidate: Candidate, kind: Kind | undefined): number {
  if (kind) {
    const fit = FITS[kind].find(([roles]) => roles.test(candidate.role))?.[1] ?? 0.4;
    return candidate.pointer && fit < 0.9 && candidate.role === 'text' ? 0.9 : fit;
  }
  if (CONTROL.test(candidate.role)) return 1;
  if (candidate.role === 'clickable') return 0.97;
  if (candidate.pointer) return 0.95;
  if (candidate.role === 'icon') return 0.85;
  return isField(candidate) ? 0.9 : 0.6;
}

/** What an instruction may call a thing by its make: `a "checkbox" widget`. */
const makeOf = (candidate: Candidate) =>
  `${candidate.type || candidate.tag} ${candidate.role === candidate.tag ? '' : candidate.role}`;

/** "(opens in a new tab)" and the like are said to screen readers, not part of what the control is called. */
const ASIDE = /\s*\((?:opens|external|new (?:tab|window))[^)]*\)/i;

function withoutWords(label: string, words: string): string {
  const drop = new Set(tokens(words).map(({ word }) => word));
  return label
    .split(' ')
    .filter(word => !drop.has(word.toLowerCase()))
    .join(' ');
}

/** How well the labels of a candidate, given or guessed, say `text`. */
export function labelFit(candidate: Candidate, text: string, scope = ''): number {
  const field = isField(candidate);
  const named = Math.max(
    similarity(candidate.name.replace(ASIDE, ''), text),
    // "Block @sam" in the card of @sam is as good as "Block".
    scope === '' ? 0 : 0.96 * similarity(withoutWords(candidate.name, scope), text),
    0.97 * similarity(candidate.title, text),
    field ? 0.97 * similarity(candidate.placeholder, text) : 0,
  );
  const besides =
    candidate.role === 'text' || candidate.role === 'heading'
      ? 0
      : (field ? (candidate.name === '' ? 0.95 : 0.55) : /:$/.test(candidate.near) ? 0.8 : 0.62) *
        similarity(candidate.near, text);
  const make =
    CONTROL.test(candidate.role) || field
      ? (field && !candidate.name ? 0.75 : 0.6) * coverage(text, makeOf(candidate))
      : 0;
  const bareHint = candidate.name === '' ? 0.8 : 0.6;
  return Math.max(named, besides, make, bareHint * coverage(text, candidate.hint));
}

/** How well a candidate answers a reading, wherever it stands. */
function baseScore(candidate: Candidate, reading: Reading, kind: Kind | undefined): number {
  const fit = kindFit(candidate, kind);
  const label =
    reading.text === '' ? (fit === 1 ? 0.95 : 0) : labelFit(candidate, reading.text, reading.scope);
  return label < 0.3 ? 0 : label * fit * (reading.weight ?? 1);
}

const bareText = (text: string) => fold(text).replace(/[^\p{L}\p{N}]+/gu, '');

/** Some pages show their task. Takes what only repeats the goal off a page, and the goal out of what things stand in. */
export function withoutEcho(candidates: readonly Candidate[], goal: string): Candidate[] {
  const wanted = bareText(goal);
  if (wanted.length < 12) return [...candidates];
  const memo = new Map<string, string>();
  const bare = (text: string) => {
    const known = memo.get(text) ?? bareText(text);
    memo.set(text, known);
    return known;
  };
  const repeats = ({ role, name, contexts }: Candidate) =>
    /^(?:text|heading|icon|clickable)$/.test(role) &&
    wanted.includes(bare(name)) &&
    [name, ...contexts].some(text => bare(text).includes(wanted) && bare(text).length < wanted.length + 4);
  return candidates
    .filter(candidate => !repeats(candidate))
    .map(candidate => {
      const end = candidate.contexts.findIndex(context => bare(context).includes(wanted));
      return end < 0 ? candidate : { ...candidate, contexts: candidate.contexts.slice(0, end) };
    });
}

function scores(candidates: readonly Candidate[], target: Target): Map<Candidate, number> {
  const best = new Map<Candidate, number>();
  for (const [order, reading] of target.readings.entries()) {
    const answering = candidates
      .map(candidate => ({ candidate, base: baseScore(candidate, reading, target.kind) }))
      .filter(({ base }) => base > 0.2);
    const meter = scopeMeter(
      answering.map(({ candidate }) => candidate),
      reading.scope,
    );
    for (const { candidate, base } of answering) {
      const score = base * meter(candidate) * (1 - 0.02 * order) * (candidate.disabled ? 0.5 : 1);
      if (score > (best.get(candidate) ?? 0)) best.set(candidate, score);
    }
  }
  return best;
}

/** Scores a page's candidates, the best first. `noise` breaks ties. */
export function rank(
  candidates: readonly Candidate[],
  target: Target,
  noise: (candidate: Candidate) => number = () => 0,
): Match[] {
  return Array.from(scores(candidates, target), ([candidate, score]) => ({
    candidate,
    score: score + 0.004 * noise(candidate),
  }))
    .filter(({ score }) => score > 0.2)
    .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
}

/** Those that say the same as the best one, in reading order. */
export function peers(ranked: readonly Match[]): Candidate[] {
  const top = ranked[0];
  if (!top) return [];
  return ranked
    .filter(({ score }) => score >= top.score * PEER)
    .map(({ candidate }) => candidate)
    .sort((a, b) => a.index - b.index);
}
