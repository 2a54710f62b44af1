// How a judge asks a model for an answer that fits a schema. The method and its prompts are the same for all models; each way to
// ask has its file, since it loads its SDK.
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { z } from 'zod';
import type { Usage } from '../../data/usage';
import type { JudgedTrial } from './index';

export interface TextBlock {
  type: 'text';
  text: string;
  /** Whether the prompt up to here is sent again soon. */
  cached?: true;
}

export type Block = TextBlock | { type: 'image'; jpeg: Buffer };

export interface Question {
  system: string;
  content: readonly Block[];
  schema: z.ZodType;
  maxTokens: number;
}

export interface Reply {
  text: string;
  stop?: 'cut off' | 'refused' | undefined;
}

interface Limit extends Pick<JudgedTrial, 'signal' | 'waiting' | 'maxRequests'> {
  /** Gets the usage of every request, also of those without a usable answer. */
  spent(usage: Required<Usage>): void;
}

/** @throws Error that says why there is no answer, without any key */
export type Ask = (question: Question, limit: Limit) => Promise<Reply>;

/** Without what APIs refuse in schemas, such as the length of a text: that is checked when the answer is read. */
export function plainSchema(schema: z.ZodType) {
  // Not the format's own `parse`: if it fails, the count of tokens is lost.
  return jsonSchemaOutputFormat(z.toJSONSchema(schema, { reused: 'ref' }) as never);
}
