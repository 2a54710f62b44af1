// Records what an agent does to a page, to be replayed. The durable locator and the fingerprint are asked for when the action starts.
import { isAbsolute, relative } from 'node:path';
import type { ElementHandle, Locator, Page } from '@playwright/test';
import {
  type DialogAnswer,
  type Fingerprint,
  MAX_LOCATOR,
  type Neighbour,
  namedControl,
  type PageAction,
  type RecordedAction,
} from '../../data/action';
import { pathOf, portableUrl } from '../../spec/url';
import { cutAround, type GoalWords, goalWords, type Scope } from '../../text/goal-words';
import { beginning } from '../../text/line';
import type { Mask } from '../../text/mask';
import { callInPage, unseen } from '../in-page';
import type { standing } from '../injected';
import { callOn } from '../on-elements';
import type { Session } from '../session/session';
import { within } from '../waiting';
import { durableLocator, type Handle } from './locate';

/** Milliseconds for a durable locator, so that a busy or huge page does not hold up the trial. */
const LIMIT_MS = 2_000;

export type ActionDraft = PageAction extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'locator' | 'to'>
    : never
  : never;
type ActionElement = Locator | ElementHandle;

interface Pending {
  page: Page;
  tab: number;
  draft: ActionDraft;
  /** Null if no locator finds it again. */
  target: Target | null | undefined;
  to: Target | null | undefined;
  /** Which control gets the key, if no target is given. */
  focused: Standing | undefined;
  before: Promise<Fingerprint | undefined>;
  after?: Promise<Fingerprint | undefined>;
}

type Target = ReturnType<typeof toldOf> & { locator: string };

export class ActionRecorder {
  private pending: Pending[] = [];
  private readonly dialogs: (DialogAnswer | undefined)[] = [];
  private isLook = false;

  private readonly goal: GoalWords;

  /** @param trial `configDir` is absolute: names of files are relative to it */
  constructor(
    private readonly session: Session,
    private readonly trial: { goal: string; entryUrl: string; configDir: string; mask: Mask },
  ) {
    this.goal = goalWords(trial.mask(trial.goal));
    const { mask } = trial;
    // A replay enters no secrets in dialogs.
    session.dialogs.onAnswer = answer => {
      const { text = '' } = answer ?? {};
      const isSecret = mask(text) !== text;
      if (isSecret) session.notice("A secret was entered in a dialog: this can't be replayed.");
      this.dialogs.push(isSecret ? undefined : answer);
    };
  }

  /** Forgets the noted actions. Call it at the start of a turn. */
  begin(): void {
    this.pending = [];
    this.dialogs.length = 0;
    this.isLook = false;
  }

  /** Notes an action. Await it before the action. */
  async record(page: Page, draft: ActionDraft, target?: ActionElement, to?: ActionElement): Promise<void> {
    const last = this.pending.at(-1);
    if (last) last.after ??= fingerprintOf(last.page);
    const before = fingerprintOf(page);
    // Not while the action runs: it may rename its control, move it or remove it.
    const found = [target, to].map(each => each && this.durable(each));
    const [from, end] = await Promise.all(found);
    const focused = !target && draft.do === 'press' ? await this.focused(page) : undefined;
    const tab = this.session.numberOf(page);
    this.pending.push({ page, tab, draft: this.portable(draft), target: from, to: end, focused, before });
  }

  /** Waits until it is known what the page looked like before. */
  async answered(): Promise<void> {
    await Promise.all(this.pending.map(({ before }) => before));
  }

  /** @returns a function that forgets what is noted from now on, if it did not happen after all */
  mark(): () => void {
    const { isLook } = this;
    const { length } = this.pending;
    return () => {
      this.pending.length = Math.min(length, this.pending.length);
      this.dialogs.length = 0;
      this.isLook = isLook;
    };
  }

  /** Says that the action only looks or waits: there is nothing to replay. */
  readOnly(): void {
    this.isLook = true;
  }

  /** The noted actions, once the page has settled; undefined if some can't be recorded. */
  async done(): Promise<RecordedAction[] | undefined> {
    const { pending: noted, isLook } = this;
    const dialogs = this.dialogs.filter(answer => answer !== undefined);
    const isKnown = dialogs.length === this.dialogs.length;
    this.begin();
    if (!isKnown) return undefined;
    if (noted.length === 0) return isLook ? [] : undefined;
    const active = this.session.page;
    for (const each of noted) each.after ??= fingerprintOf(each.page.isClosed() ? active : each.page);
    const recorded = await Promise.all(noted.map(finished));
    if (!recorded.every(action => action !== undefined)) return undefined;
    if (dialogs.length) recorded.at(-1)!.dialogs = dialogs;
    return recorded;
  }

  private async durable(target: ActionElement): Promise<Target | null> {
    const place =
      'ownerFrame' in target ? await durableLocator(target as Handle).catch(() => undefined) : target;
    if (!place) return null;
    // First, since on a page of thousands of rows the locator keeps the page busy until the time is over.
    const standing = await this.standing(place.first(), place.page());
    const named = await within(place.normalize().then(String), LIMIT_MS);
    const asGiven = String(place);
    // If the page does not tell in time, the given locator will do, unless it is a reference into a snapshot.
    const locator = named !== undefined && !this.cutsSecret(named, standing) ? named : asGiven;
    if (locator.includes('aria-ref=') || locator.length > MAX_LOCATOR) return null;
    // The page may have replaced the element in the meantime. Then the locator may find another one.
    const isThere =
      'ownerFrame' in target ? await isConnected(target) : !standing || isTheSame(asGiven, locator, standing);
    return isThere ? { locator, ...toldOf(standing) } : null;
  }

  /** Playwright cuts names, and numbers at their ends, without a mark: the rest of a secret would not be masked. */
  private cutsSecret(locator: string, { place }: Partial<Standing> = {}): boolean {
    const { mask } = this.trial;
    const isMasked = (text: string) => mask(text) !== text;
    const quoted = [...locator.matchAll(/'((?:\\.|[^'\\])*)'/g)].map(([, text]) => text!);
    const isPart = isMasked(place?.control ?? '') && !isMasked(locator);
    return isPart || quoted.some(text => !isMasked(text) && isMasked(`${text}…`));
  }

  private async focused(page: Page): Promise<Standing | undefined> {
    const focused = unseen(page, () => page.$(':focus'));
    const element = await within(focused, LIMIT_MS);
    return element ? this.standing(element as unknown as Locator, page) : undefined;
  }

  private standing(element: Locator, page: Page): Promise<Standing | undefined> {
    return standingOf(element, page, { goal: this.goal }, this.trial.mask);
  }

  private portable(draft: ActionDraft): ActionDraft {
    const { mask, entryUrl, configDir } = this.trial;
    if ('text' in draft) return { ...draft, text: mask(draft.text) };
    if ('url' in draft) return { ...draft, url: portableUrl(draft.url, entryUrl) };
    if (!('files' in draft)) return draft;
    const fromHere = (file: string) =>
      isAbsolute(file) ? relative(configDir, file).replaceAll('\\', '/') : file;
    return { ...draft, files: draft.files.map(fromHere) };
  }
}

async function finished({ draft, tab, target, to, ...asked }: Pending): Promise<RecordedAction | undefined> {
  if (target === null || to === null) return undefined;
  const [before = NO_ANSWER, after = NO_ANSWER] = await Promise.all([asked.before, asked.after]);
  const ofTarget = target
    ? { ...target, control: namedControl(target.locator, target.place) }
    : toldOf(asked.focused);
  // Only a click toggles: other actions say themselves whether it ends on or off.
  if (draft.do !== 'click') delete ofTarget.isOn;
  // The others replace the text, or don't enter any.
  if (draft.do !== 'type') delete ofTarget.isEmpty;
  const end = to && { to: to.locator, toPlace: to.place, toBeside: to.beside };
  return { ...draft, ...ofTarget, ...end, tab, before, after } as RecordedAction;
}

function toldOf({ place, beside, isOn, isEmpty, hints }: Partial<Standing> = {}) {
  return {
    ...(place && { place }),
    ...(hints && { hints }),
    ...(isOn != null && { isOn }),
    ...(isEmpty && { isEmpty }),
    ...(beside?.length && { beside }),
  };
}

/** `div > button`, `.last()`: a locator that does not name the element. */
const BY_PLACE = /^locator\('[a-z >]*'\)(?:\.(?:first|last|nth)\(\d*\))*$/;

/** If a locator that was no place in the document became one, the element was not found by its name any more. */
const isTheSame = (given: string, locator: string, { isConnected, place }: Standing) =>
  isConnected &&
  !(/ "/.test(place?.control ?? '') && BY_PLACE.test(locator) && !given.includes('nth-child('));

const isConnected = (element: ElementHandle) =>
  within(
    element.evaluate(node => node.isConnected),
    LIMIT_MS,
  );

type Told = ReturnType<typeof standing>;
/** Which control an element is: its place is null in a frame. */
export type Standing = Omit<Told, 'written' | 'beside'> & { beside: Neighbour[] };

/**
 * Undefined if there is no such element in time. Not by `evaluateAll`, which finds no references into a snapshot: Playwright
 * 1.65 looks for them in another world than the snapshot's.
 */
export async function standingOf(
  element: Locator | ElementHandle<Element>,
  page: Page,
  sought: { goal: GoalWords; scopes?: Scope[] },
  mask: Mask,
): Promise<Standing | undefined> {
  const told = await within(callOn(element, 'standing', sought, LIMIT_MS, page), LIMIT_MS);
  return told && withoutSecrets(told, mask);
}

/** Masked here, since in a text that was cut, or in single words, no secret would be found. */
function withoutSecrets({ written, hints, beside, ...told }: Told, mask: Mask): Standing {
  const short = beside.map(({ scope, text, word }) => ({
    scope,
    text: cutAround({ text: mask(text), word }),
  }));
  return { ...told, hints: mask(written) === written ? hints : undefined, beside: short };
}

const STATE_LIMIT_MS = 1_000;
/** More frames would cost time and rarely matter. */
const MAX_FRAMES = 6;

export const NO_ANSWER: Fingerprint = { url: '', content: '' };

/** The state of a page in a few bytes, to tell whether an action had an effect. Undefined if the page does not answer. */
export async function fingerprintOf(page: Page): Promise<Fingerprint | undefined> {
  const frames = page.frames().slice(0, MAX_FRAMES);
  const hashes = frames.map(frame => within(callInPage(frame, 'hashOfContent'), STATE_LIMIT_MS));
  const parts = await Promise.all(hashes);
  if (parts[0] === undefined) return undefined;
  return { url: beginning(pathOf(page.url())), content: parts.map(part => part ?? '-').join('.') };
}

export function sameFingerprint(one: Fingerprint, other: Fingerprint): boolean {
  return one.url === other.url && one.content === other.content;
}
