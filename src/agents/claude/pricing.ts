// Prices in US dollars per million tokens. They change, so the table is dated and `claude({ pricing })` overrides it.
import type { BetaUsage } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Usage } from '../../data/usage';
import { type Prices, priced } from '../model/budget';
import type { ModelSettings } from '.';

/** Input, output, tokens read from the cache, and tokens written to it. */
type Row = readonly [number, number, number, number];

/** As of 2026-11-22 on https://platform.claude.com/docs/en/about-claude/pricing. The second row is for prompts of more than LONG_PROMPT tokens. */
const PRICES: readonly (readonly [string, Row, Row?])[] = [
  ['opus-5-5', [4, 20, 0.2, 5]],
  ['opus-5 opus-4-8 opus-4-7 opus-4-6 opus-4-5', [5, 25, 0.5, 6.25]],
  ['sonnet-5-5', [2, 10, 0.1, 2.5]],
  ['sonnet-5', [2, 10, 0.2, 2.5]],
  ['sonnet-4-6 sonnet-4-5 sonnet-4', [3, 15, 0.3, 3.75]],
  ['haiku-5-5', [0.1, 0.5, 0.01, 0.125], [0.5, 2.5, 0.05, 0.625]],
  ['haiku-4-5', [1, 5, 0.1, 1.25]],
  // No price of Mythos 5.2 was found: each Mythos costs what the Fable of the same number costs.
  ['fable-5-2 mythos-5-2', [8, 40, 0.2, 10]],
  ['fable-5-1 mythos-5-1', [10, 50, 0.25, 12.5]],
  ['fable-5 mythos-5', [10, 50, 1, 12.5]],
];
const LONG_PROMPT = 100_000;

/**
 * A model's name without a provider's additions (`us.anthropic.claude-opus-4-8-v1:0`, `claude-opus-4-8@20260101`,
 * `anthropic/claude-opus-4-8`) and without its date.
 */
export function bareName(model: string): string {
  return model
    .replace(/^.*[./:](?=claude-)/, '')
    .replace(/(?:-v\d+)?(?::\d\w*)*$/, '')
    .replace(/(?:[-@]\d{8}|[-@]latest|@default)$/, '');
}

/** Regional endpoints of Bedrock and Vertex cost a tenth more, except for the oldest models in the table. */
const REGIONAL = 1.1;

function isRegional({ model, client }: Pick<ModelSettings, 'model' | 'client'>): boolean {
  const { region = 'global' } = (client ?? {}) as { region?: unknown };
  return /(?:^|[/:])(?!global\.)(?:[\w-]+\.)?anthropic\.claude-/.test(model) || region !== 'global';
}

export function pricesOf(settings: Pick<ModelSettings, 'model' | 'pricing' | 'client'>): Prices | undefined {
  if (settings.pricing) {
    const { input, output, cacheRead = input * 0.1, cacheWrite = input * 1.25 } = settings.pricing;
    return { input, output, cacheRead, cacheWrite };
  }
  const name = bareName(settings.model);
  const isIn = (names: string) => names.split(' ').some(each => name === `claude-${each}`);
  const [, row, long] = PRICES.find(([names]) => isIn(names)) ?? [];
  const factor = isRegional(settings) ? REGIONAL : 1;
  const above = long && { tokens: LONG_PROMPT, prices: pricesIn(long, factor) };
  return row && { ...pricesIn(row, factor), above };
}

const pricesIn = ([input, output, cacheRead, cacheWrite]: Row, factor: number): Prices => ({
  input: input * factor,
  output: output * factor,
  cacheRead: cacheRead * factor,
  cacheWrite: cacheWrite * factor,
});

/** The cost is null without prices, or if a gateway did not count. */
export function usageOf(usage: BetaUsage, prices: Prices | undefined): Required<Usage> {
  const said = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheCreationTokens: usage.cache_creation_input_tokens ?? 0,
  };
  return priced(said, prices);
}
