// Servers that hold each request until the bench answers it, so that the compared tools take turns, and the answer itself
// takes no time.
import { subscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';

// When a request began and its answer was finished, by port. The times come from Node's own channels, so that the work of
// a server in between (parsing, checking, counting) is not measured.
const began = new Map();
const answered = new Map();
subscribe('http.server.request.start', ({ request }) =>
  began.set(request.socket.localPort, performance.now()),
);
subscribe('http.server.response.finish', ({ request }) =>
  answered.set(request.socket.localPort, performance.now()),
);

/**
 * @typedef {object} HeldRequest
 * @property {any} body
 * @property {any} [scripted] the argument of the Messages API's script
 * @property {(answer: any) => void} answer
 */

/** Holds one request at a time. */
export class HoldingServer {
  #held;
  #wake;

  constructor(url, stop) {
    this.url = url;
    this.stop = stop;
  }

  /** @param {HeldRequest} request */
  hold(request) {
    if (this.#wake) {
      this.#wake(request);
      this.#wake = undefined;
    } else this.#held = request;
  }

  /** @returns {Promise<HeldRequest>} the request that waits, or the next one to come */
  next(ms = 60_000) {
    const held = this.#held;
    this.#held = undefined;
    if (held) return Promise.resolve(held);
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
    const port = Number(new URL(this.url).port);
    return began.get(port) - answered.get(port);
  }
}

/** Takes JSON and answers JSON; `wrap` turns the bench's answer into the response. */
export async function jsonServer(wrap = answer => answer) {
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text ? JSON.parse(text) : {};
    server.hold({
      body,
      answer: answer => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(wrap(answer, body)));
      },
    });
  });
  http.keepAliveTimeout = 0;
  http.requestTimeout = 0;
  await new Promise(resolve => http.listen(0, '127.0.0.1', resolve));
  const server = new HoldingServer(`http://127.0.0.1:${http.address().port}`, () => {
    http.close();
    http.closeAllConnections();
  });
  return server;
}

/** A chat completions API. The bench's answer is the model's text. */
export function chatServer() {
  return jsonServer((content, { model }) => ({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }));
}

/** The Messages API of this repository's tests. */
export async function messagesServer({ startMessagesApi }) {
  const api = await startMessagesApi({
    script: scripted => new Promise(answer => server.hold({ body: scripted.body, scripted, answer })),
  });
  const server = new HoldingServer(api.url, () => api.close());
  return server;
}
