// Reads what is to be entered where: "the username X and the password Y into the text fields".

import { type Clause, QUOTE } from './clauses';
import { parseTarget, type Target } from './targets';
import { describedValue, type Wanted } from './values';

export interface Entry {
  value: Wanted;
  target: Target;
}

const CASE = /\s+in\s+(?:all\s+)?(upper|lower|capital)[\s-]?(?:case)?(?:\s+letters)?/i;
const LABEL_FIRST = /^(?:fill|set|change)/;
const INTO = /^(?:in(?:to)?|on(?:to)?|to|as|for|inside|at)(?:\s+|$)/i;
const GENERIC_LABEL =
  /^(?:(?:the|a|an|your|my|this|following|and|with|text|texts?|value|number|word|words|string|item|is|as|to|of|:)\s*)+$/i;
const FIELD_WORDS =
  'first name|last name|full name|user ?name|name|e-?mail(?: address)?|password|phone(?: number)?|address|street|city|town|state|country|zip(?: code)?|post ?code|message|subject|comments?|company|title|date(?: of birth)?|time|quantity|card number|cvc|cvv|expiry(?: date)?|age|amount|note|description|number';

const trim = (text: string) => text.replace(/^[\s,:]+|[\s,:]+$/g, '').trim();

function cased(text: string, how: string | undefined): string {
  if (how === undefined) return text;
  return how.toLowerCase() === 'lower' ? text.toLowerCase() : text.toUpperCase();
}

interface Found {
  value: string;
  label: string;
  into: string;
}

/** Takes one quoted string and the words before it: a value, or the name of the field for the value before it. */
function take(found: Found[], before: string, quote: string, labelFirst: boolean): void {
  const last = found.at(-1);
  if (last && labelFirst && /^(?:with|to|as|=|is)$/i.test(before)) {
    found[found.length - 1] = { value: quote, label: last.value, into: '' };
    return;
  }
  if (!last || !INTO.test(before)) {
    found.push({ value: quote, label: before.replace(/^and\s+/i, ''), into: '' });
    return;
  }
  const [into = '', ...others] = before.split(/\s*,\s*|\s+and\s+/);
  if (others.length === 0) last.into = `${into} ${quote}`;
  else {
    last.into = into;
    found.push({ value: quote, label: trim(others.join(' ')), into: '' });
  }
}

/** The words around each quoted value: what stands before it names the field, unless "into ..." after it does. */
function quotedEntries({ rest, where, verb }: Clause, show: (words: string) => string): Entry[] {
  const pieces = rest.split(new RegExp(`(${QUOTE.source})`));
  const found: Found[] = [];
  const labelFirst = LABEL_FIRST.test(verb);
  for (let i = 1; i < pieces.length; i += 2) take(found, trim(pieces[i - 1]!), pieces[i]!, labelFirst);
  const tail = trim(pieces.at(-1)!);
  const common = INTO.test(tail) ? tail : '';
  return found.map(({ value, label, into }) => ({
    value: { text: show(value) },
    target: fieldTarget(label, into || common, show, where),
  }));
}

function fieldTarget(label: string, into: string, show: (words: string) => string, where: string): Target {
  const name = trim(label.replace(/\s+(?:with|to|as|is|of|=)$/i, ''));
  const place = parseTarget(into.replace(INTO, ''), show, where);
  const named = parseTarget(GENERIC_LABEL.test(name) ? '' : name, show, where);
  const namesNothing = named.readings.every(({ text }) => text === '');
  const target =
    namesNothing || place.readings.some(({ text }) => text !== '')
      ? place
      : { ...place, readings: named.readings };
  return {
    ...target,
    kind: target.kind ?? 'field',
    phrase: trim(show(namesNothing ? into.replace(INTO, '') : name)),
  };
}

/** "name Jane Doe, email jane@example.com and message Hello". */
function pairedEntries(rest: string, show: (words: string) => string, where: string): Entry[] {
  const pair = new RegExp(
    `^(?:(?:the|your|my|a|an|with)\\s+)*(${FIELD_WORDS})\\s*(?:as|of|is|:|=|to)?\\s+(\\S.*)$`,
    'i',
  );
  const body = rest.replace(/^.*?\bform\b\s*(?:with|using|:)?\s*/i, '');
  const entries: Entry[] = [];
  for (const piece of body.split(/\s*,\s*(?:and\s+)?|\s+and\s+/)) {
    const match = pair.exec(piece);
    if (match)
      entries.push({
        value: { text: show(match[2]!) },
        target: { ...parseTarget(match[1]!, show, where), kind: 'field' },
      });
    else return [];
  }
  return entries;
}

function plainEntry(clause: Clause, show: (words: string) => string): Entry {
  const { rest, verb, where } = clause;
  const labelFirst = LABEL_FIRST.test(verb);
  const match = labelFirst
    ? /^(.+?)\s+(?:with|to|as|=)\s+(.+)$/i.exec(rest)
    : /^(.+)\s+(?:into|in|as|for|on|to|inside)\s+(?:the\s+|your\s+|my\s+|a\s+)?(.+?)$/i.exec(rest);
  if (!match) return { value: { text: show(rest) }, target: fieldTarget('', '', show, where) };
  const [value, label] = labelFirst ? [match[2]!, match[1]!] : [match[1]!, match[2]!];
  return {
    value: { text: show(value).replace(/^the (?:text|number|value)\s+/i, '') },
    target: fieldTarget('', `in ${label}`, show, where),
  };
}

/** One entry per value; `clause.rest` still has atoms for what is quoted. */
export function parseEntries(clause: Clause, show: (words: string) => string): Entry[] {
  const how = CASE.exec(clause.rest)?.[1];
  const rest = clause.rest.replace(CASE, '');
  const described = describedValue(rest, show);
  if (described) return [{ value: described, target: fieldTarget('', '', show, clause.where) }];
  const entries = QUOTE.test(rest)
    ? quotedEntries({ ...clause, rest }, show)
    : pairedEntries(rest, show, clause.where);
  const found = entries.length > 0 ? entries : [plainEntry({ ...clause, rest }, show)];
  return found.map(entry => ({ ...entry, value: { ...entry.value, text: cased(entry.value.text, how) } }));
}
