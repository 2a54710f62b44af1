// The lines of the console and the network, as in a browser's developer tools, kept until they are read.
import type { BrowserContext, Page, Request } from '@playwright/test';
import { listen } from '../../browser/page-calls';
import { shorten } from '../../browser/reading/tree';
import { frameOf } from '../../browser/session/settling';

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

  readonly dispose: () => void;

  constructor(context: BrowserContext) {
    const ended = (request: Request) => this.ended(request);
    this.dispose = listen(context, {
      console: message => this.console.add(message.page(), `${message.type()}: ${message.text()}`),
      weberror: error => this.console.add(error.page(), `uncaught: ${error.error().message}`),
      requestfinished: ended,
      requestfailed: ended,
    });
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
