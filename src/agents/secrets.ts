// A secret is known by its name outside of the page: `<secret>SHOP_PASSWORD</secret>` becomes the value where it is typed.
import { DriverError } from '../browser/driver/errors';

const MARK = /<secret>\s*([^<>]*?)\s*<\/secret>/g;

/**
 * Puts the values of secrets in the place of their names.
 *
 * @param unknown makes the error for a name that is not among `secrets`
 */
export function fillSecrets(
  text: string,
  secrets: Readonly<Record<string, string>>,
  unknown: (name: string) => Error,
): string {
  return text.replace(MARK, (_, name: string) => {
    if (Object.hasOwn(secrets, name)) return secrets[name]!;
    throw unknown(name);
  });
}

/** A copy of JSON with every text in it changed. */
export function inTexts<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'string' ? change(inner) : inner));
}

/** As above. @throws DriverError, in words for a model, for a secret that the task does not have. */
export function filled(text: string, secrets: Readonly<Record<string, string>>): string {
  return fillSecrets(text, secrets, name => {
    const known = Object.keys(secrets).join(', ') || 'none';
    return new DriverError(
      `There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${known}.`,
    );
  });
}
