// The agent knows secrets only by name: values are filled in when it types, and masked in what it reads.

const MARK = /<secret>\s*([^<>]*?)\s*<\/secret>/g;
/** Characters. Shorter values are only masked as whole words. */
const SHORT = 4;

export class Secrets {
  /** @param {Record<string, string>} values by name */
  constructor(values) {
    this.values = values;
    this.patterns = Object.entries(values)
      .filter(([, value]) => value)
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([name, value]) => ({ mark: `<secret>${name}</secret>`, pattern: patternOf(value) }));
  }

  /** @param {string} name */
  #own(name) {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }

  /** @param {unknown} value a text with names of secrets; anything else stays as it is */
  filled(value) {
    return typeof value === 'string' ? value.replace(MARK, (whole, name) => this.#own(name) ?? whole) : value;
  }

  /** @param {string} text @returns {string | undefined} a message if the text names an unknown secret */
  unknownIn(text) {
    const name = [...text.matchAll(MARK)]
      .map(([, name = '']) => name)
      .find(name => this.#own(name) === undefined);
    if (name === undefined) return undefined;
    return `There is no secret named ${name}. Secrets of this task: ${Object.keys(this.values).join(', ') || 'none'}.`;
  }

  /** @param {string} text */
  masked(text) {
    return this.patterns.reduce((masked, { mark, pattern }) => masked.replace(pattern, () => mark), text);
  }
}

/** A value as it is and encoded for a URL, a form, HTML, JSON, JSON in JSON and in base64. @param {string} value */
function patternOf(value) {
  if (value.length < SHORT) return new RegExp(`(?<!\\w)${escaped(value)}(?!\\w)`, 'gi');
  const url = encodeURIComponent(value);
  const json = JSON.stringify(value).slice(1, -1);
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const forms = [
    value,
    url,
    url.replaceAll('%20', '+'),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    json,
    JSON.stringify(json).slice(1, -1),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
  ];
  const sources = [...new Set(forms)].sort((a, b) => b.length - a.length).map(escaped);
  return new RegExp(sources.join('|'), 'gi');
}

/** A pattern for a text, in which blanks and line breaks are equal. @param {string} text */
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');
}
