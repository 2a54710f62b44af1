// The secrets of one test. Some are known from the start. Others are computed when they are typed, and masked from then on.
import { type Mask, SecretMask } from './mask';

/** Computes a secret each time it is typed. */
export interface SecretFunction {
  (): string | Promise<string>;
  /** Other values that are as secret, such as the code of the next half minute. */
  readonly beside?: () => Promise<string[]>;
}

/** Of this process: what one test has typed may stand in the report of the next. */
const met = new SecretMask();

/** Masks the secrets that this process has met. Undefined before the first. */
export const maskOfMet = (): Mask | undefined => (met.isEmpty ? undefined : met.mask);

export const meet = (name: string, value: string) => met.add(name, value);

const SECRET_LIMIT_MS = 30_000;

export class Secrets {
  /** By name. A computed secret is empty at first, and then has its newest value. */
  readonly values: Record<string, string> = {};
  /** Masks all values that a computed secret has had so far, too. */
  readonly mask: Mask = text => this.masked.mask(text);
  private readonly functions = new Map<string, SecretFunction>();
  private readonly masked = new SecretMask();
  private readonly all = new Map<string, string[]>();

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
    for (const each of [...((await compute.beside?.()) ?? []), value]) this.add(name, each);
    this.values[name] = value;
    return value;
  }

  /** All that it has had, the newest last. */
  valuesOf(name: string): readonly string[] {
    return this.all.get(name) ?? [];
  }

  private add(name: string, value: string): void {
    this.all.set(name, [...this.valuesOf(name).filter(each => each !== value), value]);
    this.masked.add(name, value);
    meet(name, value);
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
