// What a trial left behind, quoted so that none of it can be taken for a word of ours.
import type {
  BetaContentBlockParam,
  BetaTextBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { JudgedTrial } from './judge';
import type { Seen } from './screenshots';

const MAX_NARRATION = 1_000;
const MAX_TURNS = 40_000;
const MAX_FINAL_TEXT = 20_000;
const MAX_URL = 500;

type Kind = 'turns' | 'final address' | 'final page text' | 'automatic checks' | 'screenshot description';

export function text(words: string): BetaTextBlockParam {
  return { type: 'text', text: words };
}

/** The end of a prefix that the API is asked to keep. */
export function cached(block: BetaTextBlockParam): BetaTextBlockParam {
  return { ...block, cache_control: { type: 'ephemeral' } };
}

/** Without a "<" of its own, the content can neither end its quotation nor open another. */
export function quoted(kind: Kind, content: string): string {
  return `<evidence kind="${kind}">\n${wellFormed(content).replaceAll('<', '&lt;') || '(nothing)'}\n</evidence>`;
}

/** The same for all trials of a spec, as long as the key points are. */
export function taskText({ spec, rubric }: JudgedTrial, keyPoints?: readonly string[]): string {
  const points = keyPoints?.map((point, index) => `${index + 1}. ${wellFormed(point)}`).join('\n');
  return [
    `<task>\n<goal>\n${wellFormed(spec.goal)}\n</goal>\n<rubric>\n${wellFormed(rubric)}\n</rubric>\n</task>`,
    ...(points ? [`<key_points>\n${points}\n</key_points>`] : []),
  ].join('\n');
}

export function recordedEvidence(trial: JudgedTrial): BetaTextBlockParam {
  const checks = trial.assertions.map(({ title, passed }) => `${passed ? 'held' : 'did not hold'}: ${title}`);
  return text(
    [
      quoted('turns', cut(trial.turns.map(turnText).join('\n\n'), MAX_TURNS)),
      quoted('final address', cut(trial.finalUrl, MAX_URL)),
      quoted('final page text', cut(trial.finalText, MAX_FINAL_TEXT)),
      quoted('automatic checks', checks.join('\n')),
    ].join('\n\n'),
  );
}

function turnText({ number, actions, narration, url }: JudgedTrial['turns'][number]): string {
  return [
    `Turn ${number}, which ended at ${cut(url, MAX_URL)}`,
    ...actions.map(({ title, error }) => `- did: ${title}${error ? ` (error: ${error})` : ''}`),
    ...(narration.trim() ? [`- the agent said: ${cut(narration.trim(), MAX_NARRATION)}`] : []),
  ].join('\n');
}

/** Numbered from 1, as the model is to name them. */
export function pictures(kept: readonly Seen[]): BetaContentBlockParam[] {
  return kept.flatMap(({ screenshot, shows }, index) => [
    text(`Screenshot ${index + 1} of ${kept.length}, ${whenOf(screenshot.turn)}:`),
    picture(screenshot.image),
    ...(shows ? [text(quoted('screenshot description', shows))] : []),
  ]);
}

export function whenOf(turn: number | null): string {
  return turn === null ? 'the state at the end' : `after turn ${turn}`;
}

export function picture(image: Buffer): BetaContentBlockParam {
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

/** Half of a character pair is not valid UTF-8, which the API refuses. */
function wellFormed(content: string): string {
  return Buffer.from(content, 'utf8').toString('utf8');
}
