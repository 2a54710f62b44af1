// Answers dialogs, since an open one blocks its page, its screenshot and its grading.
import type { BrowserContext, Dialog, Page } from '@playwright/test';
import type { DialogAnswer } from '../../data/action';
import { beginning, shorten } from '../../text/line';
import { secretsNamed } from '../../text/mask';
import { emitterOf, listen } from '../waiting';
import type { Session } from './session';

/** The agent's answer to a dialog; undefined for Playwright's default. `note` is added to the notice. */
export type DialogPolicy = (dialog: Dialog) => (DialogAnswer & { note?: string }) | undefined;

export const NO_SECRET = 'Secrets are not entered in dialogs: a frame of any host may open one.';

const WITHOUT_SECRET: NonNullable<ReturnType<DialogPolicy>> = {
  accept: false,
  note: ` ${NO_SECRET}`,
};

export class Dialogs {
  /** The agent's answers; `leave` if a program outside Playwright answers. Default: Playwright's answers. */
  policy: DialogPolicy | 'leave' | undefined;
  /** Gets undefined if a listener of the agent's own answers: no recording can contain that. */
  onAnswer: (answer: DialogAnswer | undefined) => void = () => undefined;
  /** Whether the suite answers: it does so in a replay, too. */
  private readonly suiteAnswers: boolean;
  /** `held`: a listener of the agent's or the suite's own answers. */
  private readonly open = new Map<Dialog, { held: boolean }>();
  readonly dispose: () => void;

  constructor(private readonly session: Pick<Session, 'context' | 'notice' | 'mask'>) {
    const { context } = session;
    this.suiteAnswers = [context, ...context.pages()].some(each => listeners(each) > 0);
    const answer = (dialog: Dialog) => this.answer(dialog);
    // Before all others, so that `once` listeners still count.
    emitterOf(context).prependListener('dialog', answer);
    const unlisten = listen(context, { dialogclosed: dialog => this.open.delete(dialog) });
    this.dispose = () => {
      emitterOf(context).off('dialog', answer);
      unlisten();
    };
  }

  isOpenOn(page: Page): boolean {
    return [...this.open.keys()].some(dialog => dialog.page() === page);
  }

  /** @param held also those that a listener of the agent's or the suite's has not answered yet */
  async dismissOpen({ held = false } = {}): Promise<void> {
    const dismissed = [...this.open].filter(([, each]) => held || !each.held).map(([dialog]) => dialog);
    // A dialog that is being answered refuses a second answer.
    await Promise.allSettled(dismissed.map(dialog => dialog.dismiss()));
    for (const dialog of dismissed) this.open.delete(dialog);
  }

  /**
   * Since there is a listener (ours), Playwright does not answer the dialog, so it is answered here. If the agent or the suite
   * has a listener, too, that one answers: a second answer would show as a failed step.
   */
  private answer(dialog: Dialog): void {
    const othersListen = listeners(dialog.page()) > 0 || listeners(this.session.context) > 1;
    this.open.set(dialog, { held: othersListen });
    if (othersListen && !this.suiteAnswers) this.onAnswer(undefined);
    if (othersListen || this.policy === 'leave') return;
    const asks = dialog.type() === 'confirm' || dialog.type() === 'prompt';
    const chosen = this.policy?.(dialog) ?? { accept: !asks };
    const isSecret = dialog.type() === 'prompt' && secretsNamed(chosen.text ?? '').length > 0;
    const { accept, text, note = '' } = isSecret ? WITHOUT_SECRET : chosen;
    const message = shorten(this.session.mask(beginning(dialog.message())), 300);
    this.onAnswer({ accept, ...(accept && text !== undefined ? { text } : {}), message });
    this.session.notice(
      `A dialog (${dialog.type()}) said "${message}" and was ${accept ? 'accepted' : 'dismissed'}.${note}`,
    );
    void (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
  }
}

function listeners(source: Page | BrowserContext | null): number {
  return source ? emitterOf(source).listenerCount('dialog') : 0;
}
