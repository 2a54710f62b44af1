// Checks for credentials before a browser starts.
import type { ModelSettings } from './options';

/** @throws Error if the settings have no key and no client, and the SDK would find none in the environment or a profile. */
export async function requireCredentials(
  { apiKey, client }: ModelSettings,
  factory: 'claude' | 'webJudge',
): Promise<void> {
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_CUSTOM_HEADERS } = process.env;
  if (client || apiKey || ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN) return;
  if (/^\s*(?:x-api-key|authorization)\s*:\s*\S/im.test(ANTHROPIC_CUSTOM_HEADERS ?? '')) return;
  const found = await inProfile().catch(error => {
    throw new Error(`${factory}: ${error instanceof Error ? error.message : error}`);
  });
  if (found) return;
  throw new Error(
    `${factory}: no API key found. Set the environment variable ANTHROPIC_API_KEY, or ${factory}({ apiKey }).`,
  );
}

/** Looks for the file of a profile, or a federation rule in the environment. Makes no network request. */
async function inProfile(): Promise<boolean> {
  const { defaultCredentials } = await import('@anthropic-ai/sdk/lib/credentials/credential-chain');
  return (await defaultCredentials({ baseURL: 'https://api.anthropic.com', fetch })) !== null;
}
