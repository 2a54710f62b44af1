// The console and the network as a developer sees them, kept from when the trial began until they are read.
import type { BrowserContext, ConsoleMessage, Page, Request, WebError } from '@playwright/test';
import { frameOf } from '../activity';
import { shorten } from './tree';

const MAX_ENTRIES = 500;
const ENTRY_LENGTH = 500;

class Log {
  private readonly entries = new Map<Page, string[]>();

  add(page: Page | null, line: string): void {
    if (!page) return;
    const list = this.entries.get(page) ?? [];
    this.entries.set(page, list);
    list.push(shorten(line, ENTRY_LENGTH));
    if (list.length > MAX_ENTRIES) list.shift();
  }

  take(page: Page): string {
    const list = this.entries.get(page)?.splice(0) ?? [];
    return list.length > 0 ? list.join('\n') : '(nothing since the last read)';
  }
}

export class Logs {
  readonly console = new Log();
  readonly network = new Log();
  private readonly disposers: (() => void)[] = [];

  constructor(context: BrowserContext) {
    const onConsole = (message: ConsoleMessage) =>
      this.console.add(message.page(), `${message.type()}: ${message.text()}`);
    const onError = (error: WebError) => this.console.add(error.page(), `uncaught: ${error.error().message}`);
    const onEnd = (request: Request) => void this.ended(request);
    context.on('console', onConsole);
    context.on('weberror', onError);
    context.on('requestfinished', onEnd);
    context.on('requestfailed', onEnd);
    this.disposers.push(
      () => context.off('console', onConsole),
      () => context.off('weberror', onError),
      () => context.off('requestfinished', onEnd),
      () => context.off('requestfailed', onEnd),
    );
  }

  dispose(): void {
    for (const dispose of this.disposers.splice(0)) dispose();
  }

  private async ended(request: Request): Promise<void> {
    const response = await request.response().catch(() => null);
    const failure = request.failure()?.errorText;
    const type = response?.headers()['content-type']?.split(';')[0] ?? request.resourceType();
    const { responseEnd } = request.timing();
    const took = responseEnd >= 0 ? ` ${Math.round(responseEnd)} ms` : '';
    const line = `${request.method()} ${request.url()} ${response?.status() ?? failure ?? 'no answer'} ${type}${took}`;
    this.network.add(frameOf(request)?.page() ?? null, line);
  }
}
