// Answers dialogs, since an open one blocks its page, its screenshot and its grading.
import type { EventEmitter } from 'node:events';
import type { BrowserContext, Dialog, Page } from '@playwright/test';
import type { DialogAnswer } from '../../data/action';
import { beginning, shorten } from '../../text/line';
import { listen } from '../waiting';
import type { Session } from './session';

/** The agent's answer to a dialog; undefined for Playwright's default. `note` is added to the notice. */
export type DialogPolicy = (dialog: Dialog) => (DialogAnswer & { note?: string }) | undefined;

export class Dialogs {
  /** The agent's answers; `leave` if a program outside Playwright answers. Default: as Playwright does. */
  policy: DialogPolicy | 'leave' | undefined;
  /** Undefined if a listener of the agent's own answers, which no recording can hold. */
  onAnswer: (answer: DialogAnswer | undefined) => void = () => undefined;
  /** Whether the suite answers: it does so in a replay, too. */
  private readonly suiteAnswers: boolean;
  private readonly open = new Set<Dialog>();
  readonly dispose: () => void;

  constructor(private readonly session: Pick<Session, 'context' | 'notice' | 'mask'>) {
    const { context } = session;
    this.suiteAnswers = [context, ...context.pages()].some(each => listeners(each) > 0);
    this.dispose = listen(context, {
      dialog: dialog => this.answer(dialog),
      dialogclosed: dialog => this.open.delete(dialog),
    });
  }

  isOpenOn(page: Page): boolean {
    return [...this.open].some(dialog => dialog.page() === page);
  }

  async dismissOpen(): Promise<void> {
    // A dialog that is being answered refuses a second answer.
    await Promise.allSettled([...this.open].map(dialog => dialog.dismiss()));
    this.open.clear();
  }

  /**
   * Playwright does not answer a dialog that has a listener, such as ours, so it is answered here. If the agent or the
   * suite has a listener, too, that one answers: a second answer would show as a failed step.
   */
  private answer(dialog: Dialog): void {
    this.open.add(dialog);
    const othersListen = listeners(dialog.page()) > 0 || listeners(this.session.context) > 1;
    if (othersListen && !this.suiteAnswers) this.onAnswer(undefined);
    if (othersListen || this.policy === 'leave') return;
    const asks = dialog.type() === 'confirm' || dialog.type() === 'prompt';
    const { accept, text, note = '' } = this.policy?.(dialog) ?? { accept: !asks };
    const message = shorten(this.session.mask(beginning(dialog.message())), 300);
    this.onAnswer({ accept, ...(accept && text !== undefined ? { text } : {}), message });
    this.session.notice(
      `A dialog (${dialog.type()}) said "${message}" and was ${accept ? 'accepted' : 'dismissed'}.${note}`,
    );
    void (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
  }
}

/** Pages and contexts are EventEmitters, as documented, but their types have only a few of its methods. */
function listeners(emitter: Page | BrowserContext | null): number {
  return emitter ? (emitter as unknown as EventEmitter).listenerCount('dialog') : 0;
}
