// Agents know a secret only by its name: `<secret>SHOP_PASSWORD</secret>` becomes the value when it is typed.
import { DriverError } from '../browser/actions/act';

const MARK = /<secret>\s*([^<>]*?)\s*<\/secret>/g;

/**
 * Replaces the names of secrets by their values.
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

/** A copy of a JSON value with `change` applied to every string in it, except keys. */
export function inTexts<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'string' ? change(inner) : inner));
}

/** `fillSecrets` for a text of a model. @throws DriverError with a message for the model, if a secret is unknown. */
export function filled(text: string, secrets: Readonly<Record<string, string>>): string {
  return fillSecrets(text, secrets, name => {
    const known = Object.keys(secrets).join(', ') || 'none';
    return new DriverError(
      `There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${known}.`,
    );
  });
}
