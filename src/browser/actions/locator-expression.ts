// Reads locators as Playwright writes them: `getByRole('button', { name: 'Send' }).first()`. It parses them, since text
// from a file must never run as code.
import type { FrameLocator, Locator, Page } from '@playwright/test';

const METHODS =
  /^(?:and|contentFrame|filter|first|frameLocator|getBy(?:AltText|Label|Placeholder|Role|TestId|Text|Title)|last|locator|nth|or)$/;

type Scope = Page | Locator | FrameLocator;

export class LocatorExpressionError extends Error {
  override name = 'LocatorExpressionError';
}

/**
 * @param expression such as `getByRole('row', { name: 'Total' }).getByRole('button')`
 * @throws LocatorExpressionError with the position of the problem.
 */
export function locatorOf(page: Page, expression: string): Locator {
  const reader = new Reader(page, expression);
  const scope = reader.chain();
  reader.end();
  if (!('click' in scope)) throw reader.error('it is a frame, not an element');
  return scope as Locator;
}

class Reader {
  private at = 0;

  constructor(
    private readonly page: Page,
    private readonly text: string,
  ) {}

  error(problem: string): LocatorExpressionError {
    return new LocatorExpressionError(
      `not a locator: ${problem} (character ${this.at + 1} of ${JSON.stringify(this.text)})`,
    );
  }

  end(): void {
    if (this.at < this.text.length) throw this.error('unexpected text after the locator');
  }

  chain(): Scope {
    let scope: Scope = this.page;
    do scope = this.call(scope);
    while (this.take('.'));
    return scope;
  }

  private call(scope: Scope): Scope {
    const name = this.match(/[a-zA-Z]+/y)?.[0] ?? '';
    if (!METHODS.test(name)) throw this.error(`there is no ${name ? `\`${name}\`` : 'method'} here`);
    const method = (scope as unknown as Record<string, unknown>)[name];
    if (typeof method !== 'function') throw this.error(`\`${name}\` can't be used here`);
    const args = this.list('(', ')', () => this.value());
    return this.tried(() => method.apply(scope, args));
  }

  private value(): unknown {
    const next = this.text[this.at];
    if (next === "'" || next === '"') return this.string(next);
    if (next === '{') return Object.fromEntries(this.list('{', '}', () => this.entry()));
    const regex = this.match(/\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([a-z]*)/y);
    if (regex) return this.tried(() => new RegExp(regex[1]!, regex[2]));
    const number = this.match(/-?\d+(?:\.\d+)?/y);
    if (number) return Number(number[0]);
    const word = this.match(/(?:true|false)\b/y);
    return word ? word[0] === 'true' : this.chain();
  }

  private tried<T>(make: () => T): T {
    try {
      return make();
    } catch (error) {
      throw this.error((error as Error).message);
    }
  }

  private entry(): [string, unknown] {
    const name = this.match(/[a-zA-Z]+/y)?.[0];
    if (!name || !this.take(':')) throw this.error('an option is missing');
    return [name, this.value()];
  }

  private string(quote: string): string {
    const pattern = quote === "'" ? /'((?:\\.|[^'\\])*)'/sy : /"((?:\\.|[^"\\])*)"/sy;
    const found = this.match(pattern);
    if (!found) throw this.error('a text has no end');
    // As a text of JSON, whose escapes are those that Playwright writes.
    const json = found[1]!.replace(/\\(.)|"/gs, (all, escaped) =>
      escaped ? all.replace("\\'", "'") : '\\"',
    );
    return this.tried(() => JSON.parse(`"${json}"`) as string);
  }

  private list<T>(open: string, close: string, item: () => T): T[] {
    if (!this.take(open)) throw this.error(`\`${open}\` is missing`);
    const items: T[] = [];
    while (!this.take(close)) {
      if (items.length > 0 && !this.take(',')) throw this.error(`\`${close}\` is missing`);
      this.match(/\s*/y);
      items.push(item());
    }
    return items;
  }

  private take(character: string): boolean {
    this.match(/\s*/y);
    const found = this.text[this.at] === character;
    if (found) this.at++;
    this.match(/\s*/y);
    return found;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}
