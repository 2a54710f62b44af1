// A plain DevTools client: JSON over a WebSocket, in the protocol's flat form.
import { once } from 'node:events';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: the protocol's own shapes
type Json = any;

export interface CdpClient {
  /** @throws Error with the protocol's message. */
  send(method: string, params?: object, sessionId?: string): Promise<Json>;
  /** All events so far, oldest first. */
  readonly events: { method: string; params: Json; sessionId?: string }[];
  /** Resolves to the close code once the other end has closed. */
  readonly closed: Promise<number>;
  close(): void;
  /** Sends a text unchanged. Resolves to the whole message that answers `id`, or to the next one without an id. */
  sendText(text: string, id?: number): Promise<Json>;
}

/** @param headers of the handshake */
export async function connectCdp(url: string, headers: Record<string, string> = {}): Promise<CdpClient> {
  const socket = new WebSocket(url, { headers });
  await once(socket, 'open');
  const events: CdpClient['events'] = [];
  const waiting = new Map<number | undefined, (answer: Json) => void>();
  socket.on('message', data => {
    const message = JSON.parse(String(data));
    if (message.method) events.push(message);
    else waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  const answerTo = (id: number | undefined, text: string) =>
    new Promise<Json>(resolve => {
      waiting.set(id, resolve);
      socket.send(text);
    });
  return {
    events,
    closed: once(socket, 'close').then(([code]) => code as number),
    close: () => socket.close(),
    async send(method, params = {}, sessionId) {
      const id = ++lastId;
      const answer = await answerTo(
        id,
        JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }),
      );
      if (answer.error) throw new Error(answer.error.message);
      return answer.result;
    },
    sendText: (text, id) => answerTo(id, text),
  };
}
