// A model knows a secret by its name: `<secret>SHOP_PASSWORD</secret>` becomes the value where it is typed.
import { ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';

const MARK = /<secret>\s*([^<>]*?)\s*<\/secret>/g;

/** @throws ToolError for a name that is not among `secrets`. */
export function fillSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  return text.replace(MARK, (_, name: string) => {
    if (Object.hasOwn(secrets, name)) return secrets[name]!;
    const known = Object.keys(secrets).join(', ') || 'none';
    throw new ToolError(`There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${known}.`);
  });
}
