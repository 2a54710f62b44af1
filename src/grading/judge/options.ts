// What users may give to webJudge(), checked when the config is read.
import { z } from 'zod';

const dollars = z.number().min(0);

const optionsSchema = z.strictObject({
  model: z.string().min(1).default('claude-sonnet-5-5'),
  apiKey: z.string().optional(),
  baseURL: z.url().optional(),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  maxTokens: z.int().min(256).default(4096),
  maxRetries: z.int().min(0).default(4),
  requestTimeoutMs: z.int().min(1).default(60_000),
  pricing: z
    .strictObject({
      input: dollars,
      output: dollars,
      cacheRead: dollars.optional(),
      cacheWrite: dollars.optional(),
    })
    .optional(),
  votes: z
    .int()
    .min(1)
    .max(9)
    .refine(votes => votes % 2 === 1, 'must be odd, so that there is a majority')
    .default(1),
  screenshots: z.int().min(2, 'must be at least 2: the first and the last state').max(20).default(6),
});

export type WebJudgeOptions = z.input<typeof optionsSchema>;
export type WebJudgeSettings = z.output<typeof optionsSchema>;

/** @throws TypeError naming each option that is wrong or unknown. */
export function settingsOf(options: WebJudgeOptions): WebJudgeSettings {
  const result = optionsSchema.safeParse(options);
  if (result.success) return result.data;
  const problems = result.error.issues.map(issue =>
    issue.code === 'unrecognized_keys'
      ? `unknown option ${issue.keys.map(key => `"${key}"`).join(', ')}; there are ${Object.keys(optionsSchema.shape).join(', ')}`
      : `${issue.path.join('.') || 'options'}: ${issue.message}`,
  );
  throw new TypeError(`webJudge: ${problems.join('\n          ')}`);
}
