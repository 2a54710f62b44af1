// What the HTML report shows of a trial: reporters may add to results, and it reads them after ours. Checked on Playwright 1.65.1.
import type { TestResult, TestStep } from '@playwright/test/reporter';

type Picture = TestResult['attachments'][number];

/** The picture after a turn. */
export function pictureOfTurn({ attachments }: TestResult, turn: number): Picture | undefined {
  return attachments.find(({ name }) => name === `turn-${turn}.jpg`);
}

/** Marks the step of a turn. */
export function markTurn(result: TestResult, turn: number, mark: string): void {
  const picture = pictureOfTurn(result, turn);
  const step = picture && stepWith(result.steps, picture);
  if (step && !step.title.endsWith(mark)) step.title += ` ${mark}`;
}

/**
 * Shows the pictures of a passing and of a failed trial side by side. Checked on Playwright 1.65: the HTML report compares two images
 * whose names differ only in `-expected` and `-actual`. They are not in blobs: merge-reports adds them again.
 */
export function showSideBySide(
  { attachments }: TestResult,
  name: string,
  pictures: Record<'expected' | 'actual', Picture>,
): void {
  for (const [side, picture] of Object.entries(pictures))
    attachments.push({ ...picture, name: `${name}-${side}.jpg` });
}

const specLines = new WeakMap<object, string>();

/** Removes the lines of the spec from the errors of a trial, so that terminals don't print them. */
export function hideDetails({ errors }: TestResult): void {
  for (const error of errors) {
    if (!error.snippet || !/\.ya?ml$/.test(error.location?.file ?? '')) continue;
    specLines.set(error, error.snippet);
    delete error.snippet;
  }
}

/** Brings them back, and shows transcripts on the trial's page instead of linking to them: for the HTML report, which reads both now. */
export function showDetails({ errors, attachments }: TestResult): void {
  for (const error of errors) if (specLines.has(error)) error.snippet = specLines.get(error)!;
  for (const each of attachments) if (each.contentType === 'Text/plain') each.contentType = 'text/plain';
}

function stepWith(steps: readonly TestStep[], attachment: Picture): TestStep | undefined {
  const within = steps.find(step => step.attachments.includes(attachment));
  return (
    within ??
    (steps.length
      ? stepWith(
          steps.flatMap(step => step.steps),
          attachment,
        )
      : undefined)
  );
}
