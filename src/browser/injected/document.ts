// A document as a whole: how much of it is seen, what it says, when it is drawn, and which tools it has for agents.
import { everyElement, flatText, isShown } from './elements';

/** The server's status, even if a script has changed the URL since; undefined if the browser does not tell it. */
export function statusOfDocument(): number | undefined {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.responseStatus;
}

export function viewport() {
  return { width: innerWidth, height: innerHeight, ratio: devicePixelRatio, scrolled: Math.round(scrollY) };
}

export const countElements = () => document.getElementsByTagName('*').length;

export function nextTasks(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}

export async function drawn(limitMs: number): Promise<void> {
  const began = performance.now();
  const end = began + limitMs;
  let scrolled = 0;
  const onScroll = () => {
    scrolled = performance.now();
  };
  // A hidden tab draws no frames.
  const frame = () =>
    new Promise<void>(resolve => {
      requestAnimationFrame(() => resolve());
      setTimeout(resolve, 100);
    });
  const moving = () =>
    document.getAnimations().filter(animation => {
      const end = animation.effect?.getComputedTiming().endTime;
      return animation.playState === 'running' && typeof end === 'number' && Number.isFinite(end);
    });
  addEventListener('scroll', onScroll, { capture: true, passive: true });
  try {
    // Runs what the action's listeners have scheduled for the next frame.
    await frame();
    // The browser reports a navigation or a request that a timer starts a moment later.
    const left = began + 20 - performance.now();
    if (left > 0) await new Promise(resolve => setTimeout(resolve, left));
    while (performance.now() < end && (performance.now() - scrolled < 60 || moving().length > 0))
      await frame();
  } finally {
    removeEventListener('scroll', onScroll, { capture: true });
  }
}

/** Shrinks a JPEG in Base64. Does not load the image by URL, which the page's Content Security Policy may forbid. */
export async function redraw(data: string, factor: number, quality: number): Promise<string> {
  const bytes = Uint8Array.from(atob(data), each => each.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * factor);
  canvas.height = Math.round(bitmap.height * factor);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', quality).split(',')[1]!;
}

/** The visible text, including shadow roots; only that of the article, if the document is one. */
export function visibleText(): string {
  const shadowText = (root: ParentNode): string =>
    [...root.querySelectorAll('*')]
      .flatMap(element => {
        const shadow = element.shadowRoot;
        if (!shadow || !element.checkVisibility()) return [];
        const own = [...shadow.children]
          .filter(child => child instanceof HTMLElement && !['STYLE', 'SCRIPT'].includes(child.tagName))
          .map(child => (child as HTMLElement).innerText);
        return [...own, shadowText(shadow)];
      })
      .filter(Boolean)
      .join('\n');
  const textOf = (element: HTMLElement) =>
    [element.innerText, shadowText(element)].filter(Boolean).join('\n');
  if (!document.body) return '';
  const whole = textOf(document.body);
  const articles = [...document.querySelectorAll<HTMLElement>('article, main, [role=main]')].map(textOf);
  const article = articles.sort((a, b) => b.length - a.length)[0] ?? '';
  // If the main part is only a small piece of the page, the page is not an article.
  return article.length > 200 && article.length > whole.length * 0.4 ? article : whole;
}

/** The texts of the page's alerts, toasts and error messages, the most reliable kind first: they tell what went wrong. */
export function messages(): string[] {
  const kinds = '[role=alert]|[aria-live=assertive]|[class*=toast i]|[class*=error i]|[role=status]';
  const all = [...everyElement()];
  const said = kinds.split('|').flatMap(kind => {
    const shown = all.filter(each => each.matches(kind) && isShown(each));
    return shown.map(each => flatText((each as HTMLElement).innerText ?? '', 1_000));
  });
  // A longer text is no message.
  return [...new Set(said)].filter(text => text && text.length <= 300).slice(0, 3);
}

/** Leaves out style, most attributes and scrolling, which change by themselves and under the pointer. */
export function hashOfContent(): string {
  const ARIA = ['checked', 'pressed', 'expanded', 'selected', 'current', 'disabled', 'valuenow'];
  const seen: unknown[] = [document.title, document.body?.innerText];
  for (const element of everyElement()) {
    const { disabled, value, checked, open, currentSrc } = element as Element & Record<string, unknown>;
    const isField = element.matches('input,textarea,select');
    seen.push(...ARIA.map(name => element.getAttribute(`aria-${name}`)), disabled, open);
    seen.push(isField && value, isField && checked, currentSrc, element.shadowRoot?.textContent);
  }
  const text = seen.join('\0');
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** `document.modelContext` in the draft, `navigator.modelContext` in some browsers. */
interface ModelContext {
  getTools?(): Promise<Tool[]>;
  executeTool?(tool: Tool, input: unknown): Promise<unknown>;
  invokeTool?(name: string, input: unknown): Promise<unknown>;
}

type Tool = Partial<Record<'name' | 'description' | 'inputSchema' | 'annotations' | 'window', unknown>>;

function modelContext(): ModelContext | undefined {
  type Holder = { modelContext?: ModelContext };
  return (document as Holder).modelContext ?? (navigator as Holder).modelContext;
}

/** Whether the page has WebMCP, which requires https or this machine. Has to run in the page's own world. */
export const canHaveTools = (): boolean => modelContext() !== undefined;

/** Calls a tool of this document. Returns what the page throws, too: its texts could be taken for errors of Playwright. */
export async function callTool(
  _: Document,
  { name, input }: { name: string; input: object },
): Promise<{ answer?: unknown; failed?: string }> {
  const call = await callOf(name);
  try {
    return { answer: await call(input) };
  } catch (error) {
    return { failed: String((error as Error | null)?.message ?? error) };
  }
}

/** As Playwright 1.65 does it. Has to run in the page's own world. */
async function callOf(name: string): Promise<(input: object) => Promise<unknown>> {
  const context = modelContext();
  if (context?.invokeTool) return async input => context.invokeTool!(name, input);
  const tools = (await context?.getTools?.()) ?? [];
  const tool = tools.find(each => each.name === name && (!('window' in each) || each.window === window));
  if (!tool || !context?.executeTool) throw new Error(`No WebMCP tool named "${name}"`);
  return async input => {
    const result = await context.executeTool!(tool, input).catch(error => {
      if (!/Failed to parse input/.test(String(error?.message))) throw error;
      return context.executeTool!(tool, JSON.stringify(input));
    });
    if (result === 'undefined') return undefined;
    try {
      return JSON.parse(result as string);
    } catch {
      return result;
    }
  };
}

/** Whether a tool has filled in its form, which still has to be sent; null if the tool has no such form. */
export function isFilledIn(name: string): boolean | null {
  const forms = [...document.querySelectorAll('form[toolname]:not([toolautosubmit])')];
  const own = forms.filter(form => form.getAttribute('toolname') === name);
  return own.length === 0 ? null : own.some(form => form.matches(':tool-form-active'));
}

/** What the accessibility tree does not tell about elements; for the root, also about the document. */
export function besideTree(elements: Element[]) {
  return elements.map(element => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const root = document.documentElement;
    return {
      box: { x, y, width, height },
      tag: element.localName,
      type: element.getAttribute('type'),
      readonly: element.hasAttribute('readonly'),
      hasRole: element.hasAttribute('role'),
      label: element.getAttribute('aria-label') ?? '',
      value: element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? '',
      ...(element === root && {
        size: { width: innerWidth, height: innerHeight },
        // CSS pixels of the page above and below the viewport.
        above: Math.round(scrollY),
        below: Math.max(0, Math.round(root.scrollHeight - scrollY - innerHeight)),
        // Differs between documents.
        document: performance.timeOrigin,
      }),
    };
  });
}
