// One limiter for each key and model in the whole run. It lives in the main process, and workers ask it over a local socket. Requests of
// a worker that dies are given back. Without a limiter in the main process, each worker has its own.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AdaptiveLimiter, type Admission, type Known } from './adaptive';
import type { Answered } from './rate-headers';

/** The address of the socket, set in the main process and inherited by the workers. */
const ENV = 'TASKPROOF_LIMITER';

/** Requests that share the limits of one key and model. */
export interface Lane {
  /** A hash made by `laneOf`. */
  id: string;
  model: string;
  /** The option `maxRequests`. */
  most?: number | undefined;
}

/** @param owner whose requests the API counts: its address and the key */
export function laneOf(model: string, owner: readonly string[], most?: number): Lane {
  const id = createHash('sha256')
    .update(JSON.stringify([model, ...owner]))
    .digest('hex')
    .slice(0, 16);
  return { id, model, most };
}

class Limiters {
  private readonly all = new Map<string, { model: string; limiter: AdaptiveLimiter }>();

  of({ id, model, most }: Lane): AdaptiveLimiter {
    const known = this.all.get(id) ?? { model, limiter: new AdaptiveLimiter() };
    this.all.set(id, known);
    if (most !== undefined) known.limiter.atMost(most);
    return known.limiter;
  }

  get traffic() {
    return [...this.all.values()].map(({ model, limiter }) => ({ model, ...limiter.traffic }));
  }
}

export type OpenLimiter = Awaited<ReturnType<typeof openLimiter>>;

/**
 * Call it in the main process, before workers start.
 *
 * @param folder for the socket; only this user may read it
 */
export async function openLimiter(folder: string) {
  const limiters = new Limiters();
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    serve(socket, limiters);
    socket.once('close', () => sockets.delete(socket));
  });
  const address =
    platform() === 'win32' ? `\\\\.\\pipe\\taskproof-${randomUUID()}` : join(folder, 'limiter.sock');
  await once(server.listen(address), 'listening');
  server.unref();
  process.env[ENV] = address;
  return {
    get traffic() {
      return limiters.traffic;
    },
    close() {
      if (process.env[ENV] === address) delete process.env[ENV];
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Serves one request per connection: gets its lane, replies when it may be sent, and gets how it was answered. */
function serve(socket: Socket, limiters: Limiters): void {
  let admitted: Admission | undefined;
  let withdraw: (() => void) | undefined;
  eachLine(socket, line => {
    const said = JSON.parse(line);
    if (withdraw) return admitted?.answered(said as Answered);
    withdraw = limiters.of(said as Lane).ask(admission => {
      admitted = admission;
      const { served, goneMs } = admission;
      say(socket, { served, goneMs } satisfies Known);
    });
  });
  socket.once('close', () => {
    withdraw?.();
    admitted?.answered();
  });
}

const say = (socket: Socket, what: object) => socket.write(`${JSON.stringify(what)}\n`);

/** Ignores errors: the socket closes after one. */
function eachLine(socket: Socket, hear: (line: string) => void): void {
  socket.on('error', () => {});
  createInterface({ input: socket })
    .on('error', () => {})
    .on('line', hear);
}

const ownLimiters = new Limiters();

/** Asks the main process or, if that is gone, this process's own limiter. @returns a function that withdraws the request */
function askMain(address: string, lane: Lane, admit: (admission: Admission) => void): () => void {
  // The connection must not keep the worker alive.
  const socket = createConnection(address).unref();
  let withdraw = () => {};
  const alone = () => {
    withdraw = ownLimiters.of(lane).ask(admit);
  };
  socket.once('close', alone);
  eachLine(socket, line => {
    socket.off('close', alone);
    const answered = (how?: Answered) => {
      if (how) say(socket, how);
      socket.end();
    };
    admit({ ...(JSON.parse(line) as Known), answered });
  });
  say(socket, lane);
  return () => {
    socket.off('close', alone).destroy();
    withdraw();
  };
}

/**
 * Resolves when the request may be sent.
 *
 * @throws the signal's reason once it is aborted: then nothing must be sent
 */
export function admission(lane: Lane, signal: AbortSignal): Promise<Admission> {
  const address = process.env[ENV];
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const admit = (admitted: Admission) => {
      signal.removeEventListener('abort', leave);
      resolve(admitted);
    };
    const leave = () => {
      withdraw();
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    const withdraw = address ? askMain(address, lane, admit) : ownLimiters.of(lane).ask(admit);
  });
}
