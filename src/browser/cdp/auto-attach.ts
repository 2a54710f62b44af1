// `Target.setAutoAttach` for the relay's clients. The browser itself only offers it in the protocol's flat form, which
// the relay can't use, so a separate session watches for targets. New targets don't wait for the client.
import type { Params, RawSession } from './relay';
import type { TargetFilter } from './rules';

/** Without frames and dedicated workers: the session of their page attaches to them. */
const TYPES = new Set(['page', 'tab', 'service_worker', 'shared_worker']);

export class AutoAttach {
  private watcher: RawSession | undefined;
  /** Counts requests: the last one wins, even if an earlier one is still running. */
  private asked = 0;
  private readonly attached = new Map<string, Promise<void>>();

  constructor(
    private readonly browserContextId: string,
    private readonly openSession: () => Promise<RawSession>,
    private readonly attach: (targetId: string) => Promise<void>,
  ) {}

  /**
   * Resolves when the existing targets are attached.
   *
   * @param filter null to attach no more
   */
  async set(filter: TargetFilter | null): Promise<void> {
    this.dispose();
    if (filter === null) return;
    const { asked } = this;
    const watcher = await this.openSession();
    if (asked !== this.asked) return leave(watcher);
    this.watcher = watcher;
    watcher.on('event', ({ method, params }) => {
      // Detaching takes a moment.
      if (this.watcher !== watcher) return;
      if (method === 'Target.targetCreated') void this.attachWanted(params!.targetInfo);
      if (method === 'Target.targetDestroyed') this.attached.delete(params!.targetId);
    });
    const filtered = filter ? { filter } : {};
    await watcher.send('Target.setDiscoverTargets', { discover: true, ...filtered });
    // The events about existing targets may come after the answer.
    const { targetInfos } = (await watcher.send('Target.getTargets', filtered)) as Params;
    await Promise.all((targetInfos as Params[]).map(info => this.attachWanted(info)));
  }

  /** A client that creates a target expects to be attached when it gets the answer. */
  async created(targetId: string): Promise<void> {
    if (this.watcher) await this.attachOnce(targetId);
  }

  dispose(): void {
    this.asked++;
    if (this.watcher) leave(this.watcher);
    this.watcher = undefined;
  }

  private async attachWanted({ targetId, browserContextId, type }: Params): Promise<void> {
    if (browserContextId === this.browserContextId && TYPES.has(type)) await this.attachOnce(targetId);
  }

  private attachOnce(targetId: string): Promise<void> {
    // The target may be gone already.
    const attaching = this.attached.get(targetId) ?? this.attach(targetId).catch(() => undefined);
    this.attached.set(targetId, attaching);
    return attaching;
  }
}

function leave(session: RawSession): void {
  void session.detach().catch(() => undefined);
}
