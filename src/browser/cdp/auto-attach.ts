// `Target.setAutoAttach` for the relay's clients. The browser itself only offers it in the protocol's flat form, which
// the relay can't use, so a session of its own watches for targets. New targets don't wait for the client.
import type { Params, RawSession } from './relay';

/** Without frames and dedicated workers: the session of their page attaches to them. */
const TYPES = new Set(['page', 'tab', 'service_worker', 'shared_worker']);

export class AutoAttach {
  private isOn = false;
  private readonly attached = new Map<string, Promise<unknown>>();

  constructor(
    private readonly watcher: RawSession,
    private readonly browserContextId: string,
    private readonly attach: (targetId: string) => Promise<unknown>,
  ) {
    watcher.on('event', ({ method, params }) => {
      if (this.isOn && method === 'Target.targetCreated') void this.attachWanted(params!.targetInfo);
      if (method === 'Target.targetDestroyed') this.attached.delete(params!.targetId);
    });
  }

  /** Resolves when the existing targets are attached. Its parameters are those of the protocol. */
  async set({ autoAttach, filter }: Params): Promise<void> {
    this.isOn = Boolean(autoAttach);
    const filtered = this.isOn && filter ? { filter } : {};
    await this.watcher.send('Target.setDiscoverTargets', { discover: this.isOn, ...filtered });
    if (!this.isOn) return;
    // The events about existing targets may come after the answer.
    const { targetInfos } = (await this.watcher.send('Target.getTargets', filtered)) as Params;
    await Promise.all((targetInfos as Params[]).map(info => this.attachWanted(info)));
  }

  /** A client that creates a target expects to be attached when it gets the answer. */
  async created(targetId: string): Promise<void> {
    if (!this.isOn) return;
    // The target may be gone already.
    const attaching = this.attached.get(targetId) ?? this.attach(targetId).catch(() => undefined);
    this.attached.set(targetId, attaching);
    await attaching;
  }

  private async attachWanted({ targetId, browserContextId, type }: Params): Promise<void> {
    if (browserContextId === this.browserContextId && TYPES.has(type)) await this.created(targetId);
  }
}
