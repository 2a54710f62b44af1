// Reads one clause as one or more instructions: a parser for each family of verbs.

import { type Clause, QUOTE } from './clauses';
import { parseEntries } from './entries';
import type { Instruction } from './instruction';
import type { Target } from './targets';

export interface Context {
  clause: Clause;
  show(words: string): string;
  target(phrase: string, where?: string): Target;
}

export type Parser = (context: Context) => Instruction[];

const KEYS: Readonly<Record<string, string>> = {
  enter: 'Enter',
  return: 'Enter',
  escape: 'Escape',
  esc: 'Escape',
  tab: 'Tab',
  space: 'Space',
  backspace: 'Backspace',
};
const KEY = new RegExp(`^(?:the )?(${Object.keys(KEYS).join('|')})(?: key)?$`, 'i');

export const source = ({ clause, show }: Context) => show(`${clause.verb} ${clause.rest}`).trim();

export const simple =
  (
    kind: 'click' | 'open' | 'find' | 'focus' | 'hover' | 'expand' | 'submit' | 'dismiss' | 'accept',
  ): Parser =>
  context => [{ do: kind, target: context.target(context.clause.rest), source: source(context) }];

export const parseClick: Parser = context => {
  const key = KEY.exec(context.clause.rest);
  if (key && /^(?:press|hit|push)$/.test(context.clause.verb))
    return [{ do: 'press', key: KEYS[key[1]!.toLowerCase()]!, source: source(context) }];
  const purpose = /\s+to\s+(?=\p{L}+ (?:it|them|the)\b)/iu;
  const parts = QUOTE.test(context.clause.rest) ? [context.clause.rest] : context.clause.rest.split(purpose);
  const several = splitList(parts[0]!);
  if (several.length > 1 && several.every(piece => QUOTE.test(piece)))
    return several.map(piece => ({
      do: 'click' as const,
      target: context.target(piece),
      source: source(context),
    }));
  return [{ do: 'click', target: context.target(parts[0]!), source: source(context) }];
};

export const parseOpen: Parser = context => {
  const { clause, show } = context;
  const address = show(clause.rest).replace(/^(?:the (?:page|site|url)\s+)/i, '');
  if (/^https?:\/\/\S+$/i.test(address)) return [{ do: 'goto', url: address, source: source(context) }];
  if (/^(?:the )?back$|^go back/i.test(`${clause.verb === 'go back' ? 'go back' : address}`))
    return [{ do: 'back', source: source(context) }];
  return simple('open')(context);
};

/** Splits "a, b and c"; atoms keep their commas. */
function splitList(phrase: string): string[] {
  return phrase
    .split(/\s*,\s*(?:and\s+|or\s+)?|\s+and\s+(?:also\s+)?/i)
    .map(piece => piece.trim())
    .filter(piece => piece !== '');
}

const FROM =
  /\s+(?:from|with|using|as|for|in|on|of)\s+(?=(?:the|a|an|your|this|that|all|each)\s|\p{L}+$|[\ue000-\ue7ff])/iu;
const PATH = /\s*(?:>|→|›|»|➔)\s*/;

function splitFrom(rest: string): [string, string] {
  const quoted = QUOTE.exec(rest);
  const start = quoted ? rest.lastIndexOf(quoted[0]) : 0;
  const match = FROM.exec(rest.slice(start));
  if (!match) return [rest, ''];
  return [rest.slice(0, start + match.index), rest.slice(start + match.index + match[0].length)];
}

export const parseChoose: Parser = context => {
  const { clause, show, target } = context;
  const shown = show(clause.rest);
  if (PATH.test(shown) && !QUOTE.test(clause.rest))
    return [{ do: 'path', steps: shown.split(PATH).map(step => target(step)), source: source(context) }];
  if (/^(?:nothing|none|no \p{L}+)$/iu.test(clause.rest)) return [];
  const [what, from] = splitFrom(clause.rest);
  const list = what.replace(
    /^(?:both|all(?: of)?(?: the following)?|the following|the (?:values?|options?|items?))\b:?\s+(?=\S)/i,
    '',
  );
  const on = !/^(?:uncheck|untick|deselect|unselect|turn off|disable|clear)$/.test(clause.verb);
  return [
    {
      do: 'choose',
      values: splitList(list).map(piece => target(piece)),
      whole: target(clause.rest),
      from: target(from),
      on,
      source: source(context),
    },
  ];
};

export const parseSearch: Parser = context => {
  const { clause, show } = context;
  if (clause.verb === 'look for' && !QUOTE.test(clause.rest)) return simple('find')(context);
  const inner = /^(.*?)\s+for\s+(.+)$/i.exec(clause.rest);
  const what = clause.verb === 'search' && inner ? inner[2]! : clause.rest;
  const bare = what.replace(
    /\s+(?:in|on|using|with)\s+the\s+(?:\p{L}+\s+)?(?:search|site|page|shop|store|website|catalog\p{L}*).*$/iu,
    '',
  );
  const quoted = QUOTE.exec(bare)?.[0];
  const text = show(quoted ?? bare.replace(/^(?:a|an|the)\s+/i, ''));
  return text === '' ? [] : [{ do: 'search', text, source: source(context) }];
};

export const parseLogin: Parser = context => {
  const { clause, show, target } = context;
  const user =
    /\b(?:as|user ?name|user|e-?mail(?: address)?|login|account)\s+(?:of\s+|is\s+|:\s*)?(?!(?:and|with|user ?name|user|e-?mail)\b)(\S+)/i.exec(
      clause.rest,
    );
  const password = /\b(?:password|pass|pwd|passcode)\s+(?:of\s+|is\s+|:\s*)?(?!and\b)(\S+)/i.exec(
    clause.rest,
  );
  const pair = /\b(?:with|using|as)\s+(\S+?)\s+(?:and|\/|,)\s+(\S+)/i.exec(clause.rest);
  const values = [
    user?.[1] ?? (password ? undefined : pair?.[1]),
    password?.[1] ?? (user ? undefined : pair?.[2]),
  ];
  const trimmed = values.map(value => (value === undefined ? undefined : show(value.replace(/[,.;:]$/, ''))));
  const login = target('log in button');
  const out: Instruction[] = [];
  if (trimmed[0]) {
    const label = /e-?mail/i.test(user?.[0] ?? '') || trimmed[0].includes('@') ? 'email' : 'username';
    out.push({
      do: 'enter',
      value: { text: trimmed[0] },
      target: target(`${label} field`),
      source: source(context),
    });
  }
  if (trimmed[1])
    out.push({
      do: 'enter',
      value: { text: trimmed[1] },
      target: target('password field'),
      source: source(context),
    });
  return [...out, { do: out.length > 0 ? 'submit' : 'click', target: login, source: source(context) }];
};

export const parseScroll: Parser = context => {
  const to = /\b(?:top|up)\b/i.test(context.clause.rest) ? ('top' as const) : ('bottom' as const);
  const rest = context.clause.rest.replace(
    /^(?:down|up)?\s*(?:to\s+)?(?:the\s+)?(?:very\s+)?(?:top|bottom|end)?\s*(?:of\s+)?/i,
    '',
  );
  return [{ do: 'scroll', to, target: context.target(rest), source: source(context) }];
};

const PREPOSITION = /\s+(to|with|as|for|from|in|on|by|at)\s+/i;

export const parseAct: Parser = context => {
  const { clause, show, target } = context;
  const [object = '', ...pieces] = clause.rest === '' ? [] : ` ${clause.rest}`.split(PREPOSITION);
  const tails = pieces.flatMap((piece, i) => (i % 2 === 0 ? [[piece, pieces[i + 1] ?? ''] as const] : []));
  const tail = tails.map(([preposition, value]) => `${preposition} ${value}`).join(' ');
  const where = show(clause.where);
  const scoped = (text: string, scope: string) => ({
    text: show(text).trim(),
    scope: [show(scope), where].filter(Boolean).join(' ').trim(),
  });
  const readings = [
    scoped(`${clause.verb} ${clause.rest}`, ''),
    ...(tail ? [scoped(`${clause.verb} ${tail}`, object)] : []),
    scoped(clause.verb, clause.rest),
    // What it is done to is on the page; what it is done with is what a form will ask for.
    ...(tails.every(([preposition]) => /^(?:to|with|as)$/i.test(preposition))
      ? [{ ...scoped(clause.verb, object), weight: 0.95 }]
      : []),
  ];
  const { kind, ordinal, count } = target(object);
  const details = tails.map(([preposition, value]) => {
    const quote = QUOTE.exec(value)?.[0];
    return { preposition, value: show(quote ?? value), quoted: quote !== undefined };
  });
  return [
    {
      do: 'act',
      verb: clause.verb,
      target: {
        readings,
        exact: false,
        count,
        phrase: source(context),
        ...(kind === 'button' || kind === 'link' ? { kind } : {}),
        ...(ordinal ? { ordinal } : {}),
      },
      details,
      source: source(context),
    },
  ];
};

export const parseMark: Parser = context => {
  const as = /^(.*?)\s+as\s+(.+)$/i.exec(context.clause.rest);
  if (!as) return parseChoose(context);
  const { show } = context;
  const target = { ...context.target(as[2]!), phrase: source(context) };
  target.readings = [
    { text: show(`mark as ${as[2]}`), scope: show(as[1]!) },
    { text: show(as[2]!), scope: show(as[1]!) },
  ];
  return [{ do: 'click', target, source: source(context) }];
};

export const parseEnter: Parser = context =>
  parseEntries(context.clause, context.show).map(entry => ({
    do: 'enter',
    ...entry,
    source: source(context),
  }));

const DISMISSABLE =
  /\b(?:dialog|pop-?ups?|modal|banner|overlay|window|notice|message|cookies?|consent|alert|notification|announcements?|questions?|prompt|offer|tooltip|hint|newsletter|it|terms|conditions|all)\b/i;

export const parseDismiss =
  (kind: 'dismiss' | 'accept'): Parser =>
  context => {
    const { clause } = context;
    if (QUOTE.test(clause.rest) || !DISMISSABLE.test(clause.rest)) return parseAct(context);
    const target = context.target(clause.rest);
    target.readings = [
      { text: `${clause.verb} ${context.show(clause.rest)}`, scope: '' },
      { text: clause.verb, scope: '' },
    ];
    return [{ do: kind, target, source: source(context) }];
  };

export const parseExpand: Parser = context =>
  /\b(?:sections?|panels?|accordions?|menus?|details|folders?|tree|items?|rows?)\b/i.test(
    context.clause.rest,
  ) || QUOTE.test(context.clause.rest)
    ? simple('expand')(context)
    : simple('find')(context);

export const parseSubmit: Parser = context => simple('submit')(context);

export const parseUse: Parser = () => [];

export const parseWait: Parser = context => {
  const match = /(\d+(?:\.\d+)?)\s*(ms|milli|s\b|sec|min)/i.exec(context.show(context.clause.rest));
  if (!match) return [];
  const unit = match[2]!.toLowerCase();
  const factor = unit.startsWith('mi') ? (unit === 'min' ? 60_000 : 1) : unit === 'ms' ? 1 : 1000;
  return [{ do: 'wait', ms: Math.min(10_000, Number(match[1]) * factor), source: source(context) }];
};

/** "Sort the list by Price": Price is what to choose. */
export const parseSort: Parser = context => {
  const by = /^(.*?)\s*\bby\s+(.+)$/i.exec(context.clause.rest);
  if (!by) return parseAct(context);
  const { target } = context;
  const from = target(QUOTE.test(by[2]!) ? '' : context.clause.verb);
  return [
    {
      do: 'choose',
      values: [target(by[2]!)],
      whole: target(by[2]!),
      from,
      on: true,
      source: source(context),
    },
  ];
};
