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

  constructor(private readonly context: BrowserContext) {
    context.on('console', this.onConsole);
    context.on('weberror', this.onError);
    context.on('requestfinished', this.onEnd);
    context.on('requestfailed', this.onEnd);
  }

  dispose(): void {
    this.context.off('console', this.onConsole);
    this.context.off('weberror', this.onError);
    this.context.off('requestfinished', this.onEnd);
    this.context.off('requestfailed', this.onEnd);
  }

  private readonly onConsole = (message: ConsoleMessage) =>
    this.console.add(message.page(), `${message.type()}: ${message.text()}`);

  private readonly onError = (error: WebError) =>
    this.console.add(error.page(), `uncaught: ${error.error().message}`);

  private readonly onEnd = async (request: Request) => {
    const response = await request.response().catch(() => null);
    const failure = request.failure()?.errorText;
    const type = response?.headers()['content-type']?.split(';')[0] ?? request.resourceType();
    const { responseEnd } = request.timing();
    const took = responseEnd >= 0 ? ` ${Math.round(responseEnd)} ms` : '';
    const line = `${request.method()} ${request.url()} ${response?.status() ?? failure ?? 'no answer'} ${type}${took}`;
    this.network.add(frameOf(request)?.page() ?? null, line);
  };
}
