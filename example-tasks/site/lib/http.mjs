// What every route needs of HTTP: bodies within a limit, cookies, answers.

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

const MAX_BODY_BYTES = 64 * 1024;

/** A refusal with the status and the sentence that the visitor is shown. */
export class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {Record<string, string>} [fields] what is wrong, by the name of the form field
   */
  constructor(status, message, fields) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** @param {Request} request */
async function readBody(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new HttpError(413, 'That is more than this shop can read at once.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * @param {Request} request
 * @returns {Promise<Record<string, unknown>>}
 */
export async function readJson(request) {
  // Only a script of this site can send this type without a preflight that nobody answers.
  if (!(request.headers['content-type'] ?? '').startsWith('application/json'))
    throw new HttpError(415, 'Send JSON, with "content-type: application/json".');
  const body = await readBody(request);
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HttpError(400, 'The body must be a JSON object.');
  return value;
}

/** @param {Request} request */
export async function readForm(request) {
  return new URLSearchParams(await readBody(request));
}

/**
 * @param {Request} request
 * @param {string} name
 */
export function readCookie(request, name) {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {unknown} [value] left out for an answer without a body
 */
export function sendJson(response, status, value) {
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  if (value === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(value));
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {string} html
 */
export function sendHtml(response, status, html) {
  response.statusCode = status;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end(html);
}

/**
 * 303, so that a form's POST is followed by a GET.
 * @param {Response} response
 * @param {string} path
 */
export function redirect(response, path) {
  response.writeHead(303, { location: path }).end();
}
