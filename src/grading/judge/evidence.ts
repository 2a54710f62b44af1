// The evidence of a trial for the judge: its screenshots, and texts quoted so that none can pass for an instruction of ours.
import type {
  BetaContentBlockParam,
  BetaTextBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { shorten } from '../../text/shorten';
import type { JudgedTrial } from './index';

const MAX_NARRATION = 1_000;
/** Characters of an action's title, and of its error. */
const MAX_ACTION = 500;
const MAX_TURNS = 40_000;
const MAX_FINAL_TEXT = 20_000;
const MAX_URL = 500;
const MAX_DESCRIPTIONS = 10_000;
/** Most screenshots to score; from a longer trial an even selection. */
const MAX_SCORED = 30;
/** A picture with this score or more is kept. */
const RELEVANT = 3;

type Kind = 'turns' | 'final address' | 'final page text' | 'automatic checks' | 'screenshot description';

export type Screenshot = JudgedTrial['screenshots'][number];

export interface ScoredScreenshot {
  screenshot: Screenshot;
  /** 1 to 5; null if there was nothing to choose. */
  score: number | null;
  shows: string | null;
}

export function text(words: string): BetaTextBlockParam {
  return { type: 'text', text: words };
}

/** Marks the end of a prefix for the API's prompt cache. */
export function cached(block: BetaTextBlockParam): BetaTextBlockParam {
  return { ...block, cache_control: { type: 'ephemeral' } };
}

/** Without a "<", the content can't end its quotation or open another. The API refuses half of a surrogate pair. */
export function quotedEvidence(kind: Kind, content: string): string {
  return `<evidence kind="${kind}">\n${content.toWellFormed().replaceAll('<', '&lt;') || '(nothing)'}\n</evidence>`;
}

/** The same for all trials of a spec with the same key points. */
export function taskText({ spec, rubric }: JudgedTrial, keyPoints?: readonly string[]): string {
  const points = keyPoints?.map((point, index) => `${index + 1}. ${point.toWellFormed()}`).join('\n');
  return [
    `<task>\n<goal>\n${spec.goal.toWellFormed()}\n</goal>\n<rubric>\n${rubric.toWellFormed()}\n</rubric>\n</task>`,
    ...(points ? [`<key_points>\n${points}\n</key_points>`] : []),
  ].join('\n');
}

export function recordedEvidence(trial: JudgedTrial): BetaTextBlockParam {
  const checks = trial.assertions.map(({ title, passed }) => `${passed ? 'held' : 'did not hold'}: ${title}`);
  return text(
    [
      quotedEvidence('turns', cut(trial.turns.map(turnText).join('\n\n'), MAX_TURNS)),
      quotedEvidence('final address', cut(trial.finalUrl, MAX_URL)),
      quotedEvidence('final page text', cut(trial.finalText, MAX_FINAL_TEXT)),
      quotedEvidence('automatic checks', checks.join('\n')),
    ].join('\n\n'),
  );
}

/** What pages and the agent say starts no line: none can add a turn. */
function turnText({ number, actions, narration, url }: JudgedTrial['turns'][number]): string {
  return [
    `Turn ${number}, which ended at ${cut(url, MAX_URL)}`,
    ...actions.map(
      ({ title, error }) =>
        `- did: ${shorten(title, MAX_ACTION)}${error ? ` (error: ${shorten(error, MAX_ACTION)})` : ''}`,
    ),
    ...(narration.trim()
      ? [
          `- the agent said: ${cut(narration.trim(), MAX_NARRATION).replace(/\s*[\r\n\u2028\u2029]\s*/g, '\n    ')}`,
        ]
      : []),
  ].join('\n');
}

/** Leaves out pictures that the next one repeats, and thins a long row evenly; the first and the last stay. */
export function candidates(all: readonly Screenshot[]): Screenshot[] {
  const changed = all.filter(({ image }, index) => !all[index + 1]?.image.equals(image));
  if (changed.length <= MAX_SCORED) return changed;
  const step = (changed.length - 1) / (MAX_SCORED - 1);
  return Array.from({ length: MAX_SCORED }, (_, index) => changed[Math.round(index * step)]!);
}

/** @returns at most `limit`, in order: the first, the last, and the most relevant between them. */
export function mostRelevant(scored: readonly ScoredScreenshot[], limit: number): ScoredScreenshot[] {
  const between = scored
    .slice(1, -1)
    .map((each, index) => ({ each, index }))
    .filter(({ each }) => (each.score ?? 0) >= RELEVANT)
    // Of two with the same score the later, which is nearer to the outcome.
    .sort((a, b) => b.each.score! - a.each.score! || b.index - a.index)
    .slice(0, limit - 2);
  const kept = new Set([scored[0], scored.at(-1), ...between.map(({ each }) => each)]);
  return scored.filter(each => kept.has(each));
}

/** Numbered from 1, for the model to refer to. */
export function pictures(kept: readonly ScoredScreenshot[]): BetaContentBlockParam[] {
  return kept.flatMap(({ screenshot, shows }, index) => [
    text(`Screenshot ${index + 1} of ${kept.length}, ${whenOf(screenshot.turn)}:`),
    imageBlock(screenshot.image),
    ...(shows ? [text(quotedEvidence('screenshot description', shows))] : []),
  ]);
}

/** Descriptions of relevant pictures that were not kept. */
export function described(
  scored: readonly ScoredScreenshot[],
  kept: readonly ScoredScreenshot[],
): BetaContentBlockParam[] {
  const others = scored.filter(each => !kept.includes(each) && (each.score ?? 0) >= RELEVANT && each.shows);
  if (others.length === 0) return [];
  const lines = others.map(({ screenshot, shows }) => `${whenOf(screenshot.turn)}: ${shows}`);
  return [
    text('Further screenshots that tell something, not attached:'),
    text(quotedEvidence('screenshot description', cut(lines.join('\n'), MAX_DESCRIPTIONS))),
  ];
}

export function whenOf(turn: number | null): string {
  return turn === null ? 'the state at the end' : `after turn ${turn}`;
}

export function imageBlock(image: Buffer): BetaContentBlockParam {
  return {
    type: 'image',
    source: { type: 'base64', media_type: 'image/jpeg', data: image.toString('base64') },
  };
}

function cut(content: string, max: number): string {
  if (content.length <= max) return content;
  const head = Math.floor((max * 2) / 3);
  const left = content.length - max;
  return `${content.slice(0, head)}\n… (${left} characters left out) …\n${content.slice(head + left)}`;
}
