// Lists of fields from JSON Schemas.
import { cell, item } from './docs-table.mjs';

/** @typedef {any} Schema */

/** @param {Schema} schema */
export function specList(schema) {
  return fields(schema).join('\n');
}

/**
 * A list for each type of assertion, without what is for people only. What the newer version adds has a dagger.
 *
 * @param {Schema} older of 0.1
 * @param {Schema} newer of playwright/1
 */
export function assertionLists(older, newer) {
  /** @type {(schema: Schema) => Schema[]} */
  const kindsOf = schema => schema.properties.assertions.items.oneOf;
  const lists = kindsOf(newer).map(kind => {
    const { type, description, ...properties } = kind.properties;
    const known = kindsOf(older).find(({ properties }) => properties.type.const === type.const);
    const isNew = Object.keys(properties).map(name => known && !(name in known.properties));
    const lines = fields({ ...kind, properties }).map((line, index) =>
      isNew[index] ? line.replace('` ', '` † ') : line,
    );
    return [`**\`type: ${type.const}\`${known ? '' : ' †'}** ${kind.description}`, '', ...lines].join('\n');
  });
  return lists.join('\n\n');
}

/**
 * @param {Schema} schema
 * @param {string} prefix
 * @returns {string[]}
 */
function fields({ properties, required = [] }, prefix = '') {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const meaning = cell((field.description ?? '').replace(/ ?Default: (.*)$/, ''));
    const said = / ?Default: (.*?)\.?$/.exec(field.description ?? '')?.[1] ?? shownDefault(field.default);
    const line = item(
      path,
      [accepted(field), required.includes(name) ? 'required' : said && `default: ${said}`],
      meaning,
    );
    return isNested(name, field) ? [line, ...fields(field, `${path}.`)] : [line];
  });
}

// Only the fields of passPolicy get lines of their own. Most specs write it as one line.
/** @type {(name: string, field: Schema) => boolean} */
const isNested = (name, { type, properties }) =>
  name === 'passPolicy' && type === 'object' && properties !== undefined;

/** @param {unknown} value */
function shownDefault(value) {
  return value === undefined
    ? ''
    : `\`${JSON.stringify(value).replaceAll('"', '').replaceAll(',', ', ').replaceAll(':', ': ')}\``;
}

/** @type {Record<string, string>} */
const PATTERNS = {
  '^[a-z0-9][a-z0-9-]{0,63}$': 'lower-case letters, digits and `-`, 1 to 64',
  '^[1-5]xx$': '`1xx` to `5xx`',
};

/** @param {Schema} field */
function accepted(field) {
  if (field.const !== undefined)
    return typeof field.const === 'string' ? `the string \`'${field.const}'\`` : `\`${field.const}\``;
  if (field.enum) return field.enum.map((/** @type {string} */ one) => `\`${one}\``).join(', ');
  const either = field.anyOf ?? field.oneOf;
  if (either) return either.map(accepted).join(' or ');
  if (Array.isArray(field.type))
    return field.type.map((/** @type {string} */ type) => accepted({ ...field, type })).join(' or ');
  if (field.format === 'uri') return 'an absolute `http:` or `https:` URL';
  if (field.format === 'date-time') return 'a time, ISO 8601';
  if (field.properties?.min) return '`{ min, max }`';
  switch (field.type) {
    case 'integer':
      return `a whole number${bounds(field)}`;
    case 'number':
      return `a number${bounds(field)}`;
    case 'string':
      return (
        PATTERNS[field.pattern] ??
        (field.maxLength ? `${field.minLength} to ${field.maxLength} characters` : 'a text')
      );
    case 'boolean':
      return '`true` or `false`';
    case 'array':
      return field.prefixItems ? 'two numbers' : `a list${field.minItems ? ', not empty' : ''}`;
    case 'object':
      return 'an object';
    default:
      return String(field.type);
  }
}

/** @param {Schema} field */
function bounds({ minimum, exclusiveMinimum, maximum }) {
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${most === undefined ? '' : `, up to ${most}`}`;
  if (minimum === undefined) return '';
  return most === undefined ? `, at least ${minimum}` : ` from ${minimum} to ${most}`;
}
