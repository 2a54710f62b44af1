// Examines the page on which a failed trial ended. Findings go into the record and the report.
import type { Page } from '@playwright/test';
import { hostAllowed } from '../browser/hosts';
import { locatorOf } from '../browser/locator-expression';
import { pathOf } from '../browser/page-action';
import { within } from '../browser/waiting';
import type { GradedPlan, TrialContext } from './plan';
import type { Examination, Finding, TurnRecord } from './record';
import { type Aims, aimsOf, relevantOf, type Touched } from './relevance';
import { oneLine } from './safe-text';

/** Share of a trial's time, within these milliseconds. */
const SHARE = 0.05;
const LEAST_MS = 3_000;
const MOST_MS = 5_000;
const MAX_FINDINGS = 100;
const MAX_PICTURES = 4;
const LOCATE_MS = 300;

/** Milliseconds for the examination of a trial of this length. */
export function examinationMs(trialMs: number): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, trialMs * SHARE));
}

/** @returns null if there is no page to examine. Never rejects. */
export async function examine(
  trial: TrialContext<GradedPlan>,
  turns: readonly TurnRecord[],
  reason: string | null,
): Promise<Examination | null> {
  const { plan, session, output, startedAt } = trial;
  const budgetMs = examinationMs(performance.now() - startedAt);
  const { page } = session;
  const allowed = (url: string) => url === 'about:srcdoc' || hostAllowed(url, plan.allowedDomains);
  if (page.isClosed() || !allowed(page.url())) return null;
  const examined = output.step(
    "look for what stood in the agent's way",
    attach => session.onAdmitted(() => lookAt(page, { trial, turns, reason, budgetMs, allowed, attach })),
    plan.locate('goal'),
  );
  // If the page does not answer, the record is still complete.
  return (await within(examined, budgetMs + LEAST_MS)) ?? null;
}

interface LookInput {
  trial: TrialContext<GradedPlan>;
  turns: readonly TurnRecord[];
  reason: string | null;
  budgetMs: number;
  allowed(url: string): boolean;
  attach: TrialContext['output']['attach'];
}

async function lookAt(
  page: Page,
  { trial, turns, reason, budgetMs, allowed, attach }: LookInput,
): Promise<Examination> {
  const end = performance.now() + budgetMs;
  const { examinePage } = await import('../browser/examine/examine.js');
  const { mask, plan } = trial;
  const aims = aimsOf({ goal: plan.goal, turns, reason, url: page.url() });
  const touched = await touchedOn(page, aims.used, turns.at(-1));
  const examined = await examinePage(page, {
    wanted: [...aims.sought, ...aims.next],
    unkept: touched.filter(({ unkept }) => unkept),
    budgetMs: end - performance.now(),
    admitted: allowed,
  });
  const relevant = relevantOf(examined.found, aims, { touched, usable: examined.usable });
  const sorted = examined.found.map((found, index) => ({ found, relevant: relevant[index]! }));
  sorted.sort((one, other) => Number(other.relevant) - Number(one.relevant));
  const findings: Finding[] = [];
  for (const { found, relevant } of sorted.slice(0, MAX_FINDINGS)) {
    const name = `in-the-way-${findings.length + 1}.jpg`;
    const image = relevant && findings.length < MAX_PICTURES ? await found.cutOut() : undefined;
    if (image) await attach(name, { body: image, contentType: 'image/jpeg' });
    findings.push({
      kind: found.kind,
      locator: oneLine(mask(found.locator), 300),
      text: oneLine(mask(found.text), 300),
      relevant,
      ...(image ? { screenshot: name } : {}),
    });
  }
  return {
    path: oneLine(mask(pathOf(page.url()).replace(/[?#].*$/, '')), 300),
    findings,
    others: sorted.filter(({ relevant }) => !relevant).length + examined.more,
    ...(examined.incomplete.length
      ? { incomplete: oneLine([...new Set(examined.incomplete)].join('; '), 300) }
      : {}),
  };
}

/** Where the controls are that the last turns tried on this page, and where the last turn clicked. */
async function touchedOn(page: Page, used: Aims['used'], last: TurnRecord | undefined): Promise<Touched[]> {
  const boxes = used.map(async ({ locator, ...use }) => {
    const box = await within(locatorOf(page, locator).boundingBox({ timeout: LOCATE_MS }), LOCATE_MS);
    return box ? [{ ...box, ...use }] : [];
  });
  const found = await Promise.all(boxes.map(box => box.catch(() => [])));
  const action = last?.actions.findLast(({ point }) => point);
  if (!action?.point || pathOf(last!.url) !== pathOf(page.url())) return found.flat();
  const spot = { ...action.point, width: 0, height: 0, unkept: false };
  return [...found.flat(), { ...spot, failed: action.error !== undefined }];
}
