// The judge asks a model over the Messages API.
import type {
  BetaContentBlockParam,
  BetaTextBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { claudeSender } from '../../agents/claude/client';
import { pricesOf, usageOf } from '../../agents/claude/pricing';
import type { Judgement } from '../../data/record';
import type { JudgedTrial, WebJudgeSettings } from './index';
import { type Ask, type Block, plainSchema, type TextBlock, text } from './prompts';
import { judgeWeb } from './web-judge';

export function judgeByClaude(trial: JudgedTrial, settings: WebJudgeSettings): Promise<Judgement> {
  const send = claudeSender({ ...settings, factory: 'webJudge' });
  const prices = pricesOf(settings);
  const { model, effort } = settings;
  const ask: Ask = async ({ system, content, schema, maxTokens }, limit) => {
    const { type, schema: plain } = plainSchema(schema);
    const params = {
      model,
      max_tokens: maxTokens,
      system: [writtenText(text(system, true))],
      messages: [{ role: 'user' as const, content: content.map(written) }],
      output_config: { format: { type, schema: plain }, ...(effort && { effort }) },
    };
    const spent = (usage: Parameters<typeof usageOf>[0]) => limit.spent(usageOf(usage, prices));
    const message = await send(params, { ...limit, spent });
    const said = message.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
    const stop = message.stop_reason;
    return {
      text: said,
      stop: stop === 'max_tokens' ? 'cut off' : stop === 'refusal' ? 'refused' : undefined,
    };
  };
  return judgeWeb(trial, { ...settings, factory: 'webJudge', prices }, ask);
}

function written(block: Block): BetaContentBlockParam {
  if (block.type === 'text') return writtenText(block);
  const data = block.jpeg.toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data } };
}

const writtenText = ({ type, text, cached }: TextBlock): BetaTextBlockParam =>
  cached ? { type, text, cache_control: { type: 'ephemeral' } } : { type, text };
