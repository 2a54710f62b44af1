// When a server of this process saw a request begin and finished its answer, by port. Read off Node's own channels, so
// that what a server does with a request in between (parsing, checking, counting) is in no figure.
import { subscribe } from 'node:diagnostics_channel';

/** @type {Map<number, { asked: number, answered: number }>} */
const seen = new Map();

/** @param {number | undefined} port */
function at(port) {
  const key = port ?? 0;
  const entry = seen.get(key) ?? { asked: 0, answered: 0 };
  seen.set(key, entry);
  return entry;
}

subscribe('http.server.request.start', message => {
  const { request } = /** @type {{ request: import('node:http').IncomingMessage }} */ (message);
  at(request.socket.localPort).asked = performance.now();
});
subscribe('http.server.response.finish', message => {
  const { request } = /** @type {{ request: import('node:http').IncomingMessage }} */ (message);
  at(request.socket.localPort).answered = performance.now();
});

/**
 * @param {number} port
 * @returns milliseconds from the newest finished answer to the request that came after it.
 */
export function betweenAnswerAndRequest(port) {
  const { asked, answered } = at(port);
  return asked - answered;
}
