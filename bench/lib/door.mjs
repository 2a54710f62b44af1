// Where a contestant asks for its next action. A request waits until the bench answers it, which is how contestants take
// turns; the answer itself is instant.
import { createServer } from 'node:http';
import { betweenAnswerAndRequest } from './moments.mjs';

/**
 * @typedef {object} Asked
 * @property {any} body
 * @property {any} [scripted] what the Messages API's script was given
 * @property {(answer: any) => void} answer
 */

/** One request at a time waits here. */
export class Door {
  port = 0;
  url = '';
  /** @type {Asked | undefined} */
  #asked;
  /** @type {((asked: Asked) => void) | undefined} */
  #wake;
  /** @type {() => unknown} */
  stop = () => undefined;

  /** @param {Asked} asked */
  park(asked) {
    if (this.#wake) {
      this.#wake(asked);
      this.#wake = undefined;
    } else this.#asked = asked;
  }

  /**
   * @param {number} ms
   * @returns {Promise<Asked>} the request that waits, or the next one to come.
   */
  next(ms = 60_000) {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked) return Promise.resolve(asked);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#wake = undefined;
        reject(new Error(`no request came within ${ms / 1000} s`));
      }, ms);
      this.#wake = each => {
        clearTimeout(timer);
        resolve(each);
      };
    });
  }

  /** Milliseconds from the last answer to the request after it. Valid once that request is there. */
  get turnMs() {
    return betweenAnswerAndRequest(this.port);
  }
}

/**
 * A door that takes JSON and answers JSON.
 *
 * @param {(answer: any, body: any) => unknown} [wrap] makes the response out of the bench's answer
 */
export async function jsonDoor(wrap = answer => answer) {
  const door = new Door();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text ? JSON.parse(text) : {};
    door.park({
      body,
      answer: answer => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(wrap(answer, body)));
      },
    });
  });
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  door.port = /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  door.url = `http://127.0.0.1:${door.port}`;
  door.stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return door;
}

/** A chat completions API: the answer is the text that the model says. */
export function openAiDoor() {
  return jsonDoor((content, { model }) => ({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }));
}

/**
 * The Messages API of this repository's tests.
 *
 * @param {{ startMessagesApi: (options: object) => Promise<{ url: string, close(): Promise<void> }> }} api
 */
export async function messagesDoor({ startMessagesApi }) {
  const door = new Door();
  const server = await startMessagesApi({
    script: (/** @type {any} */ scripted) =>
      new Promise(resolve => door.park({ body: scripted.body, scripted, answer: resolve })),
  });
  door.url = server.url;
  door.port = Number(new URL(server.url).port);
  door.stop = () => server.close();
  return door;
}
