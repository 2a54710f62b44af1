// What the model must answer at each stage, and what its answer must agree with.
import { z } from 'zod';

const said = z.string().trim().min(1).max(2_000);

export const keyPointsAnswer = z.strictObject({
  keyPoints: z.array(said).min(1).max(10),
});

export const scoreAnswer = z.strictObject({
  shows: said,
  score: z.int().min(1).max(5),
});

const pointAnswer = z.strictObject({
  number: z.int(),
  evidence: said,
  met: z.boolean(),
  screenshot: z.int().nullable(),
});

// The points stand before the verdict, so that the model has gone through them when it comes to that.
export const decisionAnswer = z.strictObject({
  keyPoints: z.array(pointAnswer).min(1),
  reason: said,
  passed: z.boolean(),
});

/** @returns the schema of a decision on so many key points from so many screenshots, both numbered from 1. */
export function decisionOn(points: number, screenshots: number) {
  return decisionAnswer.superRefine(({ keyPoints, passed }, context) => {
    const complain = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const numbers = keyPoints.map(({ number }) => number).sort((a, b) => a - b);
    if (numbers.length !== points || numbers.some((number, index) => number !== index + 1))
      complain(
        ['keyPoints'],
        `there are ${points} key points: each number from 1 to ${points}, exactly once`,
      );
    keyPoints.forEach(({ screenshot }, index) => {
      if (screenshot !== null && (screenshot < 1 || screenshot > screenshots))
        complain(['keyPoints', index, 'screenshot'], `there are screenshots 1 to ${screenshots}, or null`);
    });
    if (passed !== keyPoints.every(({ met }) => met))
      complain(['passed'], 'must be true exactly where every key point is met');
  });
}
