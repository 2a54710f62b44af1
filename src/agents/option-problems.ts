import type { z } from 'zod';

/** What is wrong with an agent's options, one sentence each. */
export function optionProblems(error: z.ZodError, schema: z.ZodObject): string[] {
  const known = Object.keys(schema.shape).join(', ');
  return error.issues.map(issue =>
    issue.code === 'unrecognized_keys'
      ? `${issue.keys.join(', ')}: unknown option; known are ${known}`
      : `${issue.path.join('.') || 'options'}: ${issue.message}`,
  );
}
