// One limiter for each key and model in the whole run: it lives in the main process, and workers ask it over a local socket. What a
// dead worker had asked for is given back. Without a main process of ours, a worker has its own.
import { createHash, randomUUID } from 'node:crypto';
import { createConnection, createServer, type Socket } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AdaptiveLimiter, type Admission, type Known, type Traffic } from './adaptive';
import type { Answered } from './rate-headers';

/** The address of the socket, set in the main process and inherited by the workers. */
const ENV = 'TASKPROOF_LIMITER';

/** Requests that share the limits of one key and model. */
export interface Lane {
  /** Made by `laneOf`: holds no key. */
  id: string;
  model: string;
  /** The option `maxRequests`. */
  most?: number | undefined;
}

/** @param owner what the API counts by: the key, and the API's address */
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

  get traffic(): ModelTraffic[] {
    return [...this.all.values()].map(({ model, limiter }) => ({ model, ...limiter.traffic }));
  }
}

export type ModelTraffic = Traffic & { model: string };

/** What a worker says, one line of JSON each. `over`: the request was answered, or is not wanted any more. */
type Said = { ask: number; lane: Lane } | { over: number; how?: Answered };

/** What it hears. */
type Heard = Known & { admitted: number };

export type OpenLimiter = Awaited<ReturnType<typeof openLimiter>>;

/**
 * Call it in the main process, before workers start.
 *
 * @param folder only this user may read it
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address, resolve);
  });
  server.unref();
  process.env[ENV] = address;
  return {
    get traffic(): readonly ModelTraffic[] {
      return limiters.traffic;
    },
    close() {
      if (process.env[ENV] === address) delete process.env[ENV];
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(socket: Socket, limiters: Limiters): void {
  /** What ends each request, admitted or not. */
  const open = new Map<number, (how?: Answered) => void>();
  const ask = (id: number, lane: Lane) => {
    let admitted: Admission | undefined;
    const withdraw = limiters.of(lane).ask(admission => {
      admitted = admission;
      const { served, goneMs } = admission;
      socket.write(`${JSON.stringify({ admitted: id, served, goneMs } satisfies Heard)}\n`);
    });
    open.set(id, how => {
      withdraw();
      admitted?.answered(how);
    });
  };
  eachLine(socket, line => {
    const said = JSON.parse(line) as Said;
    if ('ask' in said) return ask(said.ask, said.lane);
    open.get(said.over)?.(said.how);
    open.delete(said.over);
  });
  socket.once('close', () => {
    for (const end of open.values()) end();
  });
}

/** Closing follows an error. */
function eachLine(socket: Socket, hear: (line: string) => void): void {
  socket.on('error', () => {});
  createInterface({ input: socket })
    .on('error', () => {})
    .on('line', hear);
}

/** A worker's side of the socket. */
class Line {
  private readonly asked = new Map<number, { lane: Lane; admit(admission: Admission): void }>();
  private newest = 0;
  private isOpen = true;

  constructor(
    private readonly socket: Socket,
    private readonly own: Limiters,
  ) {
    eachLine(socket, line => this.admit(JSON.parse(line) as Heard));
    socket.once('close', () => this.closed());
    // The worker ends when its tests have.
    socket.unref();
  }

  ask(lane: Lane, admit: (admission: Admission) => void): () => void {
    if (!this.isOpen) return this.own.of(lane).ask(admit);
    const id = ++this.newest;
    this.asked.set(id, { lane, admit });
    this.say({ ask: id, lane });
    return () => {
      if (this.asked.delete(id)) this.say({ over: id });
    };
  }

  private admit({ admitted: id, ...known }: Heard): void {
    const request = this.asked.get(id);
    this.asked.delete(id);
    request?.admit({ ...known, answered: how => this.say({ over: id, how }) });
  }

  private say(said: Said): void {
    if (this.isOpen) this.socket.write(`${JSON.stringify(said)}\n`);
  }

  /** The main process is gone: what it had not admitted goes on by itself. */
  private closed(): void {
    this.isOpen = false;
    for (const { lane, admit } of this.asked.values()) this.own.of(lane).ask(admit);
    this.asked.clear();
  }
}

const ownLimiters = new Limiters();
let line: Line | undefined;

/**
 * Resolves when the request may be sent.
 *
 * @throws the signal's reason once it is aborted: then nothing must be sent
 */
export function admission(lane: Lane, signal: AbortSignal): Promise<Admission> {
  const address = process.env[ENV];
  if (address && !line) line = new Line(createConnection(address), ownLimiters);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const over = new AbortController();
    const admit = (admitted: Admission) => {
      over.abort();
      resolve(admitted);
    };
    const withdraw = line ? line.ask(lane, admit) : ownLimiters.of(lane).ask(admit);
    const leave = () => {
      withdraw();
      reject(signal.reason);
    };
    if (!over.signal.aborted) signal.addEventListener('abort', leave, { once: true, signal: over.signal });
  });
}
