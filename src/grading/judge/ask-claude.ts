// A judge asks a model over the Messages API.
import type {
  BetaContentBlockParam,
  BetaTextBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { claudeSender } from '../../agents/claude/client';
import { pricesOf, usageOf } from '../../agents/claude/pricing';
import type { WebJudgeSettings } from './index';
import { type Ask, type Block, plainSchema, type TextBlock } from './prompts';

export function askClaude(settings: WebJudgeSettings): Ask {
  const send = claudeSender({ ...settings, factory: 'webJudge' });
  const prices = pricesOf(settings);
  const { model, effort } = settings;
  const cache_control = { type: 'ephemeral' as const };
  const written = (block: Block): BetaContentBlockParam => {
    if (block.type === 'text') return writtenText(block);
    const data = block.jpeg.toString('base64');
    return { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data } };
  };
  const writtenText = ({ type, text, cached }: TextBlock): BetaTextBlockParam => ({
    ...{ type, text },
    ...(cached && { cache_control }),
  });
  return async ({ system, content, schema, maxTokens }, limit) => {
    const { type, schema: plain } = plainSchema(schema);
    const params = {
      model,
      max_tokens: maxTokens,
      system: [writtenText({ type: 'text', text: system, cached: true })],
      messages: [{ role: 'user' as const, content: content.map(written) }],
      output_config: { format: { type, schema: plain }, ...(effort && { effort }) },
    };
    const spent = (usage: Parameters<typeof usageOf>[0]) => limit.spent(usageOf(usage, prices));
    const message = await send(params, { ...limit, spent });
    const text = message.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
    const stop = message.stop_reason;
    return { text, stop: stop === 'max_tokens' ? 'cut off' : stop === 'refusal' ? 'refused' : undefined };
  };
}
