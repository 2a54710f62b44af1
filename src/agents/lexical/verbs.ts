// The verbs of the language, and how what follows each is read.
import type { Act, Target } from './clause';
import { Q, type Quotes, regex } from './quotes';
import { ANYWHERE, named, target } from './target';

const KEY =
  /^(?:(?:ctrl|control|alt|shift|cmd|meta|controlormeta)\+)*(?:enter|return|tab|esc(?:ape)?|space|backspace|del(?:ete)?|arrow ?\w+|page ?(?:up|down)|home|end|f\d\d?|[\w\d.,/?\\[\]+-])$/i;
const OK = /^(?:ok(?:ay)?|yes|accept|confirm|continue|sure|leave)\b/i;
export const LOG_IN = /^(?:log|sign) ?[io]n$/i;
const DIALOG =
  '(?:the |that |this |a )?(?:browser.s |native |confirmation |confirm |javascript )?(?:dialog(?: box)?|question|confirmation|confirm|prompt|alert|message box|warning)';

type Reader = (rest: string, quotes: Quotes, verb: string) => Act | undefined;

const click: Reader = (rest, quotes, verb) => {
  const key = regex('^(?:the )?(?:keys? )?(.+?)(?: key)?(?: (?:in|into|on) (.+))?$').exec(rest);
  if (key && /^(?:press|hit)$/i.test(verb)) {
    const name = quotes.restoreBare(key[1]!);
    const plain =
      !regex('Q').test(key[1]!) || /\bkey\b/i.test(rest) || /\+|^(?:enter|escape|tab|arrow)/i.test(name);
    const field = key[2] ? named(key[2], quotes) : undefined;
    if (plain && KEY.test(name)) return { do: 'press', key: name, ...(field ? { target: field } : {}) };
  }
  const path = rest.split(/\s*(?:>|→|›|»)\s*/).filter(Boolean);
  if (path.length > 1)
    return {
      do: 'path',
      labels: path.map(part => (regex('Q').test(part) ? (named(part, quotes)?.label ?? '') : part)),
    };
  if (/^(?:go|navigate|browse)? ?(?:to )?(?:https?:\/\/|\/)\S/i.test(quotes.restoreBare(rest)))
    return { do: 'goto', url: quotes.restoreBare(rest).replace(/^to /, '') };
  const found = named(rest.replace(/^(?:on|to|the)\s+/i, ''), quotes);
  return found && { do: 'click', target: found };
};

const enter: Reader = (rest, quotes, verb) => {
  const value = (phrase: string) =>
    quotes.restoreBare(phrase.replace(/^(?:the )?(?:text|value|words?|number) (?=Q)/i, ''));
  const prompt = regex(`^(Q) (?:in|into|to|as) ${DIALOG}$`).exec(rest);
  if (prompt) return { do: 'answer', how: 'accept', native: true, text: quotes.text(prompt[1]!) };
  const pair = regex('^(Q)\\s*=\\s*(Q)$').exec(rest);
  if (pair) return entry(pair[2]!, pair[1]!);
  if (/^(?:fill|fill in|fill out|set|change|replace)$/i.test(verb)) {
    const [, field, text] = /^(.+?)\s+(?:with|to|as|by)\s+(.+)$/i.exec(rest) ?? [];
    if (field && text) return entry(text, field);
  }
  const [, text, field] =
    regex('^(.*Q[^Q]*?|\\S+)\\s+(?:into|in|to|as|for|under|on)\\s+(.+)$').exec(rest) ??
    /^(.+?)\s+(?:into|as)\s+(.+)$/i.exec(rest) ??
    [];
  if (text && field) {
    const only = regex('Q').exec(text)?.[0];
    const given = entry(only ?? text, field);
    if (given?.do === 'enter' && (given.target.label || given.target.nth !== undefined || !only))
      return given;
  }
  const whole = text ?? rest;
  const labelled =
    regex('^(?:the |your |an? )?([^Q]*?)(?: of| is)? ?(Q)$').exec(whole) ??
    /^(?:the )?(user ?name|password|e-?mail) (\S+)$/i.exec(whole);
  return labelled ? entry(labelled[2]!, labelled[1]!) : undefined;

  function entry(given: string, into: string): Act | undefined {
    const field = target(/\b(?:text|value|number|words?)$/i.test(into) ? 'field' : into, quotes);
    return field && { do: 'enter', value: value(given), target: field };
  }
};

const choose: Reader = (rest, quotes, verb) => {
  if (rest.includes('>')) return click(rest, quotes, verb);
  const [, text, field] = regex('^(.*?Q[^Q]*?|\\S+)\\s+(?:from|in|as|for|under)\\s+(.+)$').exec(rest) ?? [];
  const from = field ? target(field, quotes) : undefined;
  const value = named(text ?? rest, quotes) ?? undefined;
  const listed =
    from && (from.label || from.place) && from.label.replace(ANYWHERE, '').trim() ? from : undefined;
  return value && { do: 'choose', value, ...(listed ? { from: listed } : {}) };
};

const check =
  (on: boolean | 'toggle'): Reader =>
  (rest, quotes) => {
    const found = named(rest, quotes);
    return found && { do: 'check', target: found, on };
  };

const see: Reader = (rest, quotes) => {
  const quoted = rest.match(new RegExp(Q, 'g'));
  if (!quoted) return undefined;
  return { do: 'see', target: { label: quotes.text(quoted[0]!) } };
};

const on =
  (act: 'hover' | 'expand' | 'focus'): Reader =>
  (rest, quotes) => {
    const found = named(rest.replace(/^(?:over|on|into|out)\s+/i, ''), quotes);
    return found && { do: act, target: found };
  };

const answer: Reader = (rest, quotes, verb) => {
  const label = quotes.text(regex('Q').exec(rest)?.[0] ?? '');
  const given = regex('(?:with|by|clicking|choosing|saying)[^Q]*Q').test(rest) ? label : undefined;
  const how = howTo(verb, given);
  if (regex(`^${DIALOG}\\b`).test(rest) || rest === '' || /^it$/i.test(rest)) {
    const isText = given && how === 'accept' && !OK.test(given);
    return {
      do: 'answer',
      how,
      native: true,
      ...(given ? { button: given } : {}),
      ...(isText ? { text: given } : {}),
    };
  }
  const closes = /dialog|banner|pop-?up|window|panel|message|noti|announcement|overlay|modal/i.test(rest);
  if (given || (label && !closes)) return { do: 'click', target: { label } };
  return { do: 'answer', how, native: false, ...(label ? { what: label } : {}) };
};

function howTo(verb: string, given = ''): 'accept' | 'reject' | 'close' {
  if (OK.test(given)) return 'accept';
  if (/^(?:cancel|no|dismiss)\b/i.test(given)) return 'reject';
  if (/^(?:close|dismiss|hide)/i.test(verb)) return 'close';
  return /^(?:cancel|decline|reject|refuse)/i.test(verb) ? 'reject' : 'accept';
}

const add: Reader = (rest, quotes) => {
  const place = quotes.text(regex('Q').exec(rest)![0]);
  return { do: 'click', target: { label: 'Add', place } };
};

const VERBS: [pattern: string, reader: Reader][] = [
  ['double[- ]click(?: on)?', (rest, quotes) => counted(named(rest, quotes))],
  ['(?:go|navigate|return) back(?: to .*)?', () => ({ do: 'back' })],
  ['wait(?= [\\d.]+ (?:s|sec|seconds?)$)', rest => ({ do: 'wait', seconds: Number.parseFloat(rest) })],
  ['go forward', () => ({ do: 'forward' })],
  ['reload(?: the page)?|refresh(?: the page)?', () => ({ do: 'reload' })],
  ['hover(?: over| on)?|move the mouse (?:over|to)|point at', on('hover')],
  ['expand|unfold', on('expand')],
  ['focus(?: on| into)?', on('focus')],
  ['search(?: (?:the \\w+ )?for)?|look up', (rest, quotes) => search(rest, quotes)],
  [
    'check (?:that|whether|if)|make sure(?: that)?|verify(?: that)?|see(?: that)?|ensure(?: that)?|confirm that|find(?: out)?|look (?:for|at)|locate|wait (?:for|until)|note|read|notice',
    see,
  ],
  ['uncheck|untick|deselect|unselect|disable|turn off|switch off', check(false)],
  ['check|tick|enable|turn on|switch on', check(true)],
  ['toggle', check('toggle')],
  ['upload|attach', (rest, quotes) => upload(rest, quotes)],
  [`(?:confirm|accept|dismiss|cancel|close|decline|reject|refuse|hide|answer|allow)`, answer],
  ['fill in|fill out|fill|enter|type|write(?! to\\b)|input|put|set|change|replace', enter],
  ['select|choose|pick|sort(?: (?:the )?\\w+)? by', choose],
  ['add (?=Q (?:to|into) (?:the |your |my )?(?:cart|basket|bag))', add],
  [
    'click(?: on)?|press|tap(?: on)?|hit|push|activate|follow|open|go to|navigate to|visit|switch to|start|collapse|save|submit|delete|remove|add|go',
    click,
  ],
];

function counted(found: Target | undefined): Act | undefined {
  return found && { do: 'click', target: found, count: 2 };
}

function search(rest: string, quotes: Quotes): Act | undefined {
  const [, text, field] = regex('^(.*?Q|\\S.*?)(?:\\s+(?:in|with|using|on)\\s+(.+))?$').exec(rest) ?? [];
  const into = field ? target(field, quotes) : undefined;
  return text
    ? { do: 'search', text: quotes.restoreBare(text), ...(into?.label ? { target: into } : {}) }
    : undefined;
}

function upload(rest: string, quotes: Quotes): Act | undefined {
  const [, file, field] =
    regex('^[^Q]*(Q|\\S+\\.\\w+)(?:\\s+(?:to|into|in|as|for)\\s+(.+))?$').exec(rest) ?? [];
  return file
    ? { do: 'upload', file: quotes.restoreBare(file), target: target(field ?? 'file', quotes)! }
    : undefined;
}

export const PATTERNS = VERBS.map(
  ([pattern, reader]) => [regex(`^(${pattern})(?![\\w-])\\s*(.*)$`), reader] as const,
);

/** @returns undefined where no verb fits. */
export function read(text: string, quotes: Quotes): Act | undefined {
  if (LOG_IN.test(text)) return logIn();
  for (const [pattern, reader] of PATTERNS) {
    const match = pattern.exec(text);
    const act = match && reader(match.at(-1)!.trim(), quotes, match[1]!);
    if (act) return act;
  }
  return undefined;
}

export function logIn(): Act {
  return { do: 'click', target: { label: 'Log in', names: /^\s*(?:log|sign) ?[io]n\s*$/i, kind: 'button' } };
}
