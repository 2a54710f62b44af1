// Types secrets, but only into documents of admitted hosts. Playwright's keys and texts go to whatever has the focus by then, and a
// frame of another host may have taken it. So the document that was checked enters each character itself.
import type { Locator, Page } from '@playwright/test';
import { hostOf } from '../../spec/url';
import { messageOf } from '../../text/line';
import { fillSecrets, secretsNamed } from '../../text/mask';
import { isAdmitted } from '../admitted';
import { injected, unseen } from '../in-page';
import type { Session } from '../session/session';
import { DriverError } from './act';
import { type Handle, targetAt } from './locate';

export interface SecretsOfTask {
  /** Values by name. A computed secret is empty until `secret` computes it. */
  readonly secrets: Readonly<Record<string, string>>;
  secret(name: string): Promise<string>;
  readonly allowedDomains: readonly string[];
  readonly session: Pick<Session, 'mayShow'>;
}

/** Characters. Longer texts are entered at once: typing them would take too long. */
export const MAX_TYPED = 1_000;

export function namesSecret(text: string, { secrets }: SecretsOfTask): boolean {
  return fillSecrets(text, secrets) !== text;
}

/** Computes the secrets that a text names, so that `secrets` of the task has their values. */
export async function computeSecrets(text: string, task: Pick<SecretsOfTask, 'secrets' | 'secret'>) {
  for (const name of new Set(secretsNamed(text)))
    if (Object.hasOwn(task.secrets, name))
      await task.secret(name).catch(error => {
        throw new DriverError(messageOf(error));
      });
}

/** A handle of the element, if it may get a secret. What is evaluated on the handle reaches the checked document or none. */
export async function heldForSecret(
  locator: Locator,
  { allowedDomains, session }: SecretsOfTask,
  timeout: number,
  not = 'typed',
): Promise<Handle> {
  const page = locator.page();
  const handle = (await unseen(page, () => locator.elementHandle({ timeout }))) as Handle;
  const frame = (await unseen(page, () => handle.ownerFrame())) ?? page.mainFrame();
  // A blank tab may be the agent's or its site's. If another host made it, the guard is about to bring it back.
  const isBlankTab = frame === page.mainFrame() && frame.url() === 'about:blank';
  if (await (isBlankTab ? session.mayShow(page) : isAdmitted(frame, allowedDomains))) return handle;
  const where = hostOf(frame.url()) ?? `a document without a host (${frame.url().slice(0, 100)})`;
  throw new DriverError(
    `Not ${not}: the field is on ${where}, and secrets are typed only on ${allowedDomains.join(', ')}.`,
  );
}

/** Whether Playwright would paste, in whatever order and spelling it accepts the keys. */
export function isPaste(chord: string): boolean {
  const keys = chord.toLowerCase().split('+');
  const has = (name: RegExp) => keys.some(key => name.test(key));
  const pastes = has(/^(?:control|meta|controlormeta)(?:left|right)?$/) && has(/^(?:v|keyv)$/);
  return pastes || (has(/^shift(?:left|right)?$/) && has(/^(?:insert|numpad0)$/));
}

/** Copied text may contain a secret that was typed. */
export async function refusePasting(
  page: Page,
  { key, locator }: { key: string; locator?: Locator | undefined },
  task: SecretsOfTask,
  timeout: number,
): Promise<void> {
  if (!isPaste(key) || Object.keys(task.secrets).length === 0) return;
  const target = locator ?? (await targetAt(page, null))?.element;
  if (target) await heldForSecret(target, task, timeout, 'pasted');
}

/** Dragged text may be a secret that was typed. It may be dragged within one frame. */
export async function refuseDragging(from: Locator, to: Locator, task: SecretsOfTask, timeout: number) {
  if (Object.keys(task.secrets).length === 0) return;
  const frameOf = async (locator: Locator) => (await locator.elementHandle({ timeout }))!.ownerFrame();
  const [one, other] = await unseen(from.page(), () => Promise.all([frameOf(from), frameOf(to)]));
  if (one !== other) await heldForSecret(to, task, timeout, 'dragged');
}

/** Fills or types a text that names secrets. Without a locator, it goes to the element with the focus. */
export async function enterSecret(
  page: Page,
  { do: how, locator, text: named }: { do: 'fill' | 'type'; locator?: Locator | undefined; text: string },
  task: SecretsOfTask,
  timeout: number,
): Promise<void> {
  await heldForSecret(locator ?? (await focused(page)), task, timeout);
  await computeSecrets(named, task);
  const text = fillSecrets(named, task.secrets);
  const put = (element: Handle, part: string, asKeys: boolean) =>
    unseen(page, () => element.evaluate(injected('putText'), { text: part, asKeys }));
  if (how === 'fill') {
    // By Playwright, which checks whether the field can be filled.
    await locator!.fill('', { timeout });
    const { isKept } = await put(await heldForSecret(locator!, task, timeout), text, false);
    if (isKept) return;
    await locator!.fill('', { timeout });
  } else if (locator) {
    await locator.focus({ timeout });
  }
  let element = locator && (await heldForSecret(locator, task, timeout));
  // Fields for one digit each pass the focus on.
  for (const part of text.length > MAX_TYPED ? [text] : text) {
    element ??= await heldForSecret(await focused(page), task, timeout);
    const { hasFocus } = await put(element, part, true);
    if (!hasFocus) element = undefined;
  }
}

async function focused(page: Page): Promise<Locator> {
  const found = await targetAt(page, null);
  if (found) return found.element;
  throw new DriverError(
    'The secret was not typed, or not all of it: no field has the focus. Click it first.',
  );
}
