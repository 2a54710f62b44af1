// The secrets of one test. Some are known from the start. Others are computed when they are typed, and masked from then on.
import { type Mask, secretMask } from './mask';

/** Computes a secret each time it is typed. */
export interface SecretFunction {
  (): string | Promise<string>;
  /** Other values that are as secret, such as the code of the next half minute. */
  readonly beside?: () => Promise<string[]>;
}

/** By name. Without a prototype: a secret may be called `constructor`. */
const noValues = (): Record<string, string[]> => Object.create(null);

/** All values that this process has met. */
const met = noValues();
let metMask: Mask | undefined;

/** Masks the values of all secrets that this process has met: those of its config, and of each test so far. Undefined before the first. */
export function maskOfMet(): Mask | undefined {
  if (Object.keys(met).length) metMask ??= secretMask(met);
  return metMask;
}

export function meet(name: string, ...values: readonly string[]): void {
  const known = met[name] ?? [];
  const added = values.filter(value => !known.includes(value));
  if (added.length) metMask = undefined;
  met[name] = [...known, ...added];
}

const SECRET_LIMIT_MS = 30_000;

export class Secrets {
  /** By name. A computed secret is empty at first, and then has its newest value. */
  readonly values: Record<string, string> = {};
  /** Masks all values that a computed secret has had so far, too. */
  readonly mask: Mask = text => {
    this.known ??= secretMask(this.masked);
    return this.known(text);
  };
  private readonly functions = new Map<string, SecretFunction>();
  private readonly masked = noValues();
  private known: Mask | undefined;

  constructor(given: Readonly<Record<string, string | SecretFunction>> = {}) {
    for (const [name, value] of Object.entries(given)) {
      this.values[name] = typeof value === 'string' ? value : '';
      if (typeof value === 'string') this.add(name, value);
      else this.functions.set(name, value);
    }
  }

  get computed(): readonly string[] {
    return [...this.functions.keys()];
  }

  /** @throws Error that names the secret, if there is none of that name, or its function fails or takes too long */
  async value(name: string): Promise<string> {
    const compute = this.functions.get(name);
    if (!compute && Object.hasOwn(this.values, name)) return this.values[name]!;
    if (!compute) throw new Error(`There is no secret named ${JSON.stringify(name)}.`);
    const value: unknown = await inTime(name, compute);
    if (typeof value !== 'string' || !value.trim())
      throw new Error(`the function for the secret ${name} must return a non-empty string`);
    const beside = (await compute.beside?.()) ?? [];
    this.add(name, value, ...beside);
    this.values[name] = value;
    return value;
  }

  private add(name: string, ...values: string[]): void {
    this.masked[name] = [...new Set([...(this.masked[name] ?? []), ...values])];
    this.known = undefined;
    meet(name, ...values);
  }
}

async function inTime(name: string, compute: SecretFunction): Promise<unknown> {
  const refuse = (what: string) => {
    throw new Error(`the function for the secret ${name} ${what}`);
  };
  const computed = (async () => compute())();
  const failed = (error: unknown) => refuse(`failed: ${(error as Error)?.message ?? error}`);
  const late = new Promise(resolve => setTimeout(resolve, SECRET_LIMIT_MS).unref());
  const inVain = late.then(() => refuse(`took longer than ${SECRET_LIMIT_MS / 1000} s`));
  return Promise.race([computed.catch(failed), inVain]);
}
