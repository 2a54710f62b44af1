// The quoted texts of a goal. During parsing each is one character, so that its words are not taken for grammar.

const FIRST = 0xe000;
const QUOTED =
  /<secret>[^<>]*<\/secret>|"([^"\n]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|`([^`\n]*)`|(?<![\p{L}\p{N}])['‘]([^\n]+?)['’](?![\p{L}\p{N}])/gu;
const MARKS = /[\uE000-\uF8FF]/g;

/** Matches the character that stands for a quoted text. */
export const Q = '[\\uE000-\\uF8FF]';
/** Makes a regular expression in which Q stands for a quoted text. */
export const regex = (pattern: string) =>
  new RegExp(pattern.replaceAll('[^Q', '[^\\uE000-\\uF8FF').replaceAll('Q', Q), 'i');

export class Quotes {
  readonly #texts: string[] = [];

  mask(goal: string): string {
    return goal.replace(MARKS, '').replace(QUOTED, (whole, ...groups) => {
      const inner = groups.slice(0, 6).find(group => group !== undefined) as string | undefined;
      return String.fromCharCode(FIRST + this.#texts.push(inner ?? whole) - 1);
    });
  }

  /** The first quoted text of a phrase, without its quotes; '' if it has none. */
  first(phrase: string): string {
    const [mark = ''] = phrase.match(MARKS) ?? [];
    return this.#texts[mark.charCodeAt(0) - FIRST] ?? '';
  }

  /** With quotes, for reports. */
  restore(text: string): string {
    return text.replace(MARKS, mark => {
      const inner = this.first(mark);
      return inner.startsWith('<secret>') ? inner : `"${inner}"`;
    });
  }

  /** Without quotes, for typing. */
  restoreBare(text: string): string {
    return text.replace(MARKS, mark => this.first(mark)).trim();
  }

  /** A quoted text of a clause that is missing in the act read from it; undefined if none is. */
  unusedIn(clause: string, act: object): string | undefined {
    const used = JSON.stringify(act);
    const marks = clause.match(MARKS) ?? [];
    return marks
      .map(mark => this.first(mark))
      .find(text => !used.includes(JSON.stringify(text).slice(1, -1)));
  }
}
