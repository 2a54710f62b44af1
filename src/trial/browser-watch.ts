import type { BrowserContext, Page } from '@playwright/test';

/**
 * Calls `onLost`, with what happened in words, when the browser, the context or the renderer of one of its pages is gone.
 *
 * @returns what ends the watch.
 */
export function watchBrowser(context: BrowserContext, onLost: (what: string) => void): () => void {
  // Which of them it was can't be told yet: contexts are closed before the browser is known to be gone.
  const onClose = () => onLost('the browser context was closed, or the browser was gone,');
  const onCrash = (page: Page) => onLost(`the page crashed (${page.url().slice(0, 200)})`);
  const watch = (page: Page) => page.on('crash', onCrash);
  context.pages().forEach(watch);
  context.on('page', watch);
  context.on('close', onClose);
  return () => {
    context.off('close', onClose);
    context.off('page', watch);
    for (const page of context.pages()) page.off('crash', onCrash);
  };
}
