// The option `secrets`: what is masked, and what a goal lacks.
import { z } from 'zod';
import { checkOptions } from '../../options';
import { secretsNamed } from '../../text/mask';
import { nearest } from '../../text/nearest';
import { meet, type SecretFunction, Secrets } from '../../text/secrets';
import { type Config, holdersIn } from '../inside/masking';
import type { ReadyOptions } from './options';

const isSecret = (value: unknown) => typeof value === 'string' || typeof value === 'function';

export const secretsSchema = z
  .record(
    z.string().regex(/^\w+$/, 'names are letters, digits and _'),
    z
      .custom<string | SecretFunction>(
        isSecret,
        'must be a string, a function that returns one, or totp(uri)',
      )
      .nullish(),
  )
  .optional();

/** The secrets that have a value or are computed, in unchecked options. */
export function givenSecrets(options: unknown): Record<string, string | SecretFunction> {
  const { secrets } = Object(options) as { secrets?: unknown };
  const given = typeof secrets === 'object' ? Object.entries(secrets ?? {}) : [];
  return Object.fromEntries(given.filter(([, value]) => isSecret(value)));
}

/** Checked even where no agent is: a secret of another kind is not masked. @throws OptionsError */
export function checkedSecrets(options: unknown, where: string) {
  const { secrets } = Object(options) as { secrets?: unknown };
  checkOptions(`${where}: use.taskproof`, z.object({ secrets: secretsSchema }), { secrets });
  return new Secrets(givenSecrets(options));
}

/** Has `maskMet` mask the secrets of a config and its projects, before any test. */
export function meetSecrets(config: Config): void {
  for (const { use } of holdersIn(config))
    for (const [name, value] of Object.entries(givenSecrets(Object(use).taskproof)))
      if (typeof value === 'string') meet(name, value);
}

/** What to do about secrets that tests need, and that have no value or are unknown; undefined if there are none. */
export function missingSecrets(
  { missing, secrets }: Pick<ReadyOptions, 'missing' | 'secrets'>,
  tests: readonly { id: string; goal: string; secretsInBodies?: readonly string[] | undefined }[],
): string | undefined {
  const names = [...Object.keys(secrets.values), ...missing];
  for (const { id, goal, secretsInBodies = [] } of tests) {
    const unknown = [...secretsNamed(goal), ...secretsInBodies].find(name => !names.includes(name));
    if (unknown === undefined) continue;
    const meant = nearest(unknown, names);
    return `use.taskproof.secrets has no ${unknown}, which "${id}" names. ${meant ? `Did you mean ${meant}?` : 'Add it.'}`;
  }
  const needs = tests.flatMap(({ id, goal, secretsInBodies = [] }) => {
    const words = new Set([...goal.split(/\W+/), ...secretsInBodies]);
    return missing.filter(name => words.has(name)).map(name => ({ id, name }));
  });
  if (!needs.length) return undefined;
  const needed = [...new Set(needs.map(({ name }) => name))];
  const ids = [...new Set(needs.map(({ id }) => `"${id}"`))];
  const [have, them] = needed.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return `use.taskproof.secrets: ${needed.join(', ')} ${have} no value, but ${ids.join(', ')} ${ids.length === 1 ? 'needs' : 'need'} ${them}. Set the environment variables that the values come from.`;
}
