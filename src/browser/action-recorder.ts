// Notes what an agent does to a page as steps that can be done again. The durable locator and the fingerprint before are
// asked for as the action starts and not waited for: the page answers them while Playwright waits for the element to
// stand still, so that they cost next to nothing.
import type { Locator, Page } from '@playwright/test';
import { type Handle, placeOf } from './durable-locator';
import { fingerprintOf, NO_ANSWER } from './fingerprint';
import type { DialogAnswer, Fingerprint, PageAction, RecordedAction } from './page-action';
import { TabOrder } from './tab-order';
import { within } from './within';

/** A page that is busy, or huge, must not hold up the trial. */
const LIMIT_MS = 2_000;

/** An action whose locators are yet to be found. */
export type ActionDraft = PageAction extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'locator' | 'to'>
    : never
  : never;
export type Target = Locator | Handle;

interface Pending {
  page: Page;
  tab: number;
  draft: ActionDraft;
  locator: Promise<string | undefined> | undefined;
  to: Promise<string | undefined> | undefined;
  before: Promise<Fingerprint | undefined>;
  after?: Promise<Fingerprint | undefined>;
}

export class ActionRecorder {
  private pending: Pending[] = [];
  private readonly dialogs: DialogAnswer[] = [];
  private isLook = false;
  private readonly tabs: TabOrder;

  /** @param mask takes the values of secrets out of a text */
  constructor(
    firstPage: Page,
    private readonly mask: (text: string) => string,
  ) {
    this.tabs = new TabOrder(firstPage);
  }

  dispose(): void {
    this.tabs.dispose();
  }

  /** Forgets what was noted: another action begins. */
  begin(): void {
    this.pending = [];
    this.dialogs.length = 0;
    this.isLook = false;
  }

  /** To be awaited before the action is done: it takes no longer than finding an element's place. */
  async record(
    page: Page,
    draft: ActionDraft,
    target?: Target | undefined,
    to?: Target | undefined,
  ): Promise<void> {
    const last = this.pending.at(-1);
    if (last) last.after ??= fingerprintOf(last.page);
    const before = fingerprintOf(page);
    const [locator, destination] = await Promise.all([target, to].map(each => each && durable(each)));
    // Playwright waits for nothing before it presses a key, and this one may take the page away.
    if (draft.do === 'press' && /Enter$/.test(draft.key)) await locator?.expression;
    this.pending.push({
      page,
      tab: this.tabs.numberOf(page),
      draft: 'text' in draft ? { ...draft, text: this.mask(draft.text) } : draft,
      locator: locator?.expression,
      to: destination?.expression,
      before,
    });
  }

  /** The action only looks, or waits: there is nothing to do again. */
  readOnly(): void {
    this.isLook = true;
  }

  answered(answer: DialogAnswer): void {
    this.dialogs.push(answer);
  }

  /** The steps of this action, after the page has settled; undefined where they can't all be told, or none was. */
  async done(active: Page): Promise<RecordedAction[] | undefined> {
    if (this.pending.length === 0) return this.isLook ? [] : undefined;
    const steps: RecordedAction[] = [];
    for (const [index, pending] of this.pending.entries()) {
      const isLast = index === this.pending.length - 1;
      pending.after ??= fingerprintOf(pending.page.isClosed() ? active : pending.page);
      const step = await finished(pending, isLast ? this.dialogs : []);
      if (!step) return undefined;
      steps.push(step);
    }
    return steps;
  }
}

async function finished(
  pending: Pending,
  dialogs: readonly DialogAnswer[],
): Promise<RecordedAction | undefined> {
  const { draft, tab } = pending;
  const [locator, to] = await Promise.all([pending.locator, pending.to]);
  if ((pending.locator && !locator) || (pending.to && !to)) return undefined;
  const [before, after] = await Promise.all([pending.before, pending.after]);
  return {
    ...draft,
    ...(locator ? { locator } : {}),
    ...(to ? { to } : {}),
    tab,
    before: before ?? NO_ANSWER,
    after: after ?? NO_ANSWER,
    ...(dialogs.length ? { dialogs: [...dialogs] } : {}),
  } as RecordedAction;
}

/** Wrapped, so that only the place is waited for, and the durable locator is not. */
async function durable(target: Target): Promise<{ expression: Promise<string | undefined> }> {
  const place = 'ownerFrame' in target ? await placeOf(target).catch(() => undefined) : target;
  if (!place) return { expression: Promise.resolve(undefined) };
  const expression = within(
    place.normalize().then(locator => locator.toString()),
    LIMIT_MS,
  );
  // Its place will do where the page went away too soon; a reference into a snapshot will not.
  return {
    expression: expression.then(found => found ?? ('ownerFrame' in target ? place.toString() : undefined)),
  };
}
