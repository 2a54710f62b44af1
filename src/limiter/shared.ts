// One limiter for each key and model in the whole run: it lives in the main process, and workers ask it over a local socket. When a
// worker dies, its socket closes, and what it had asked for is given back. Without a main process of ours, a worker has its own.
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

export interface ModelTraffic extends Traffic {
  model: string;
}

/** What a worker says, one line of JSON each. */
type Said = { ask: number; lane: Lane } | { withdraw: number } | { answered: number; how?: Answered };

/** What it hears. */
interface Heard extends Known {
  admitted: number;
}

export interface OpenLimiter {
  readonly traffic: readonly ModelTraffic[];
  close(): void;
}

/**
 * Call it in the main process, before workers start.
 *
 * @param folder only this user may read it
 */
export async function openLimiter(folder: string): Promise<OpenLimiter> {
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

function serve(socket: Socket, limiters: Limiters): void {
  const open = new Map<number, { withdraw(): void; admission?: Admission }>();
  const hear = (said: Said) => {
    if ('ask' in said) {
      const request: { withdraw(): void; admission?: Admission } = { withdraw: () => {} };
      open.set(said.ask, request);
      request.withdraw = limiters.of(said.lane).ask(admission => {
        request.admission = admission;
        const { served, goneMs } = admission;
        socket.write(`${JSON.stringify({ admitted: said.ask, served, goneMs } satisfies Heard)}\n`);
      });
      return;
    }
    const id = 'answered' in said ? said.answered : said.withdraw;
    const request = open.get(id);
    open.delete(id);
    request?.withdraw();
    request?.admission?.answered('answered' in said ? said.how : undefined);
  };
  eachLine(socket, line => hear(JSON.parse(line) as Said));
  socket.once('close', () => {
    for (const { withdraw, admission } of open.values()) {
      withdraw();
      admission?.answered();
    }
  });
}

/** An error says nothing that closing, which follows, does not. */
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
      if (this.asked.delete(id)) this.say({ withdraw: id });
    };
  }

  private admit({ admitted: id, ...known }: Heard): void {
    const request = this.asked.get(id);
    this.asked.delete(id);
    request?.admit({ ...known, answered: how => this.say({ answered: id, ...(how && { how }) }) });
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
