// Dialogs are answered at once, since an open one blocks its page, and told to the model, which may say beforehand
// how the next one is to be answered.
import type { EventEmitter } from 'node:events';
import type { BrowserContext, Dialog } from '@playwright/test';
import type { DialogAnswer } from '../../../browser/page-action';
import { shorten } from './tree';

export class Dialogs {
  /** How the next confirm or prompt is answered. */
  next: DialogAnswer | undefined;
  private sentences: string[] = [];
  private readonly onDialog = (dialog: Dialog) => void this.answer(dialog);

  constructor(
    private readonly context: BrowserContext,
    private readonly onAnswer: (answer: DialogAnswer) => void = () => undefined,
  ) {
    context.on('dialog', this.onDialog);
  }

  dispose(): void {
    this.context.off('dialog', this.onDialog);
  }

  take(): string[] {
    return this.sentences.splice(0);
  }

  private async answer(dialog: Dialog): Promise<void> {
    const page = dialog.page() as unknown as EventEmitter | null;
    // The suite's own listener on the page knows better.
    if (page && page.listenerCount('dialog') > 0) return;
    const type = dialog.type();
    const asks = type === 'confirm' || type === 'prompt';
    const given = asks ? this.next : undefined;
    if (asks) this.next = undefined;
    const accept = given ? given.accept : !asks;
    this.onAnswer({ accept, ...(accept && given?.text ? { text: given.text } : {}) });
    const said = `A dialog (${type}) said "${shorten(dialog.message(), 300)}"`;
    try {
      await (accept ? dialog.accept(type === 'prompt' ? given?.text : undefined) : dialog.dismiss());
      const how = accept ? 'accepted' : 'dismissed';
      const hint =
        asks && !given ? ' To answer it otherwise, call next_dialog first and repeat the action.' : '';
      this.sentences.push(`${said} and was ${how}.${hint}`);
    } catch {
      this.sentences.push(`${said} and was answered by the test suite.`);
    }
  }
}
