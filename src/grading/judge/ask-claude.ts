// The judge asks a model over the Messages API.
import { claudeSender } from '../../agents/claude/client';
import { pricesOf } from '../../agents/claude/pricing';
import type { Judgement } from '../../data/record';
import type { JudgedTrial, WebJudgeSettings } from './index';
import { type Ask, plainSchema, text } from './prompts';
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
      system: [text(system, true)],
      messages: [{ role: 'user' as const, content: [...content] }],
      output_config: { format: { type, schema: plain }, ...(effort && { effort }) },
    };
    const message = await send(params, limit);
    const said = message.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
    const stop = message.stop_reason;
    return {
      text: said,
      stop: stop === 'max_tokens' ? 'cut off' : stop === 'refusal' ? 'refused' : undefined,
    };
  };
  return judgeWeb(trial, { ...settings, factory: 'webJudge', prices }, ask);
}
