// All runs of agents in one hand-written test: together they are one trial, with one record, which the test's own code grades.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { BrowserContext, TestInfo } from '@playwright/test';
import { sumOf } from '../data/collections';
import { RECORD_ATTACHMENT, type TrialRecord, whereOf } from '../data/record';
import { sumOfCosts, sumOfTokens, sumOfWaits } from '../data/usage';
import { outcomeFields } from '../grading/outcome';
import { transcript } from '../grading/transcript';
import { harmless, oneLine } from '../text/line';
import type { TrialIdentity, TrialOutput } from '../trial/run-agent';
import type { Trial } from '../trial/trial';
import { goalAnnotation, planOf } from './run/plan';
import { posix } from './run/settings';
import { attachTo, endFromOutside, outputTo, QUIET_TEXT, saidBy } from './trial-test';

export class RunsOfTest {
  readonly output: TrialOutput;
  private readonly trials: Trial[] = [];
  private readonly goals: string[] = [];
  private readonly driven = new Set<BrowserContext>();
  private turns = 0;
  /** Whether the test has looked at an answer, which a replay does not give. */
  answerUsed = false;

  constructor(private readonly testInfo: TestInfo) {
    this.output = { ...outputTo(testInfo), nextTurn: () => ++this.turns };
  }

  /** The hash of its goals is known at the end. */
  get identity(): TrialIdentity {
    const { config, file, title, repeatEachIndex: repeatIndex, retry } = this.testInfo;
    const { id = title, policy = { k: 1, minPasses: 1 } } = planOf(this.testInfo) ?? {};
    const specFile = posix(relative(config.rootDir, file));
    return { specId: id, specHash: '', specFile, repeatIndex, retry, policy };
  }

  /** How many have begun. */
  get count(): number {
    return this.goals.length;
  }

  add(trial: Trial): void {
    this.trials.push(trial);
  }

  /** @throws Error if another run drives a page of this context: each would take the other's tabs and dialogs for its own. */
  async during<T>(context: BrowserContext, goal: string, run: () => Promise<T>): Promise<T> {
    if (this.driven.has(context))
      throw new Error(
        'agent.run: another agent is driving a page of this browser context. Await it first, or open the page in a context of its own (browser.newContext()).',
      );
    this.driven.add(context);
    this.goals.push(goal);
    this.testInfo.annotations.push(goalAnnotation(goal));
    try {
      return await run();
    } finally {
      this.driven.delete(context);
    }
  }

  /** Leaves the record. If the test has failed, examines the page while it is open, and says in its error where the agent was. */
  async settle(): Promise<void> {
    const { trials, testInfo, goals } = this;
    if (!trials.length) return;
    for (const trial of trials.filter(({ status }) => status === null)) {
      trial.stop(endFromOutside(testInfo));
      await trial.close();
    }
    const { status, expectedStatus, error } = testInfo;
    const lost = status !== expectedStatus && status !== 'skipped' ? (status ?? 'failed') : undefined;
    const isBroken = trials.some(({ status }) => status === 'error');
    if (lost && lost !== 'interrupted' && !isBroken) await decisive(trials).examine();
    const joined = joinedRecord(trials, goals);
    const notReplayable = goals.length > 1 ? 'runs' : this.answerUsed ? 'answer' : undefined;
    const outcome = outcomeOf(joined, lost && firstLine(saidBy(error)));
    const record = { ...joined, notReplayable, ...outcome } satisfies TrialRecord;
    if (record.outcome === 'failed') this.tell(record);
    attachTo(testInfo, 'transcript', QUIET_TEXT, transcript(record, goals.join('\n')));
    attachTo(testInfo, RECORD_ATTACHMENT, 'application/json', JSON.stringify(record));
  }

  /** Adds to the first error why the agent stopped, and where. */
  private tell(record: TrialRecord): void {
    const [error] = this.testInfo.errors;
    if (error?.message === undefined) return;
    const { message, stack = '' } = error;
    const { endReason } = record;
    const told = [...(endReason ? [sentence(endReason)] : []), `The agent stopped on ${whereOf(record)}.`];
    error.message = `${message}\n\n${harmless(told.join('\n'))}`;
    if (stack.startsWith(message)) error.stack = error.message + stack.slice(message.length);
  }
}

export function goalsHash(goals: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(goals)).digest('hex');
}

/** The first that did not end by itself, an error before others; else the last. */
function decisive(trials: readonly Trial[]): Trial {
  const broken = trials.find(({ status }) => status === 'error');
  return broken ?? trials.find(({ status }) => status !== 'completed') ?? trials.at(-1)!;
}

/** One record, as of one trial: the turns in their order, all requests, the sum of what was spent. */
function joinedRecord(trials: readonly Trial[], goals: readonly string[]): TrialRecord {
  const records = trials.map(trial => trial.record());
  const [first] = records as [TrialRecord];
  const later = ({ startedAt }: TrialRecord) => Date.parse(startedAt) - Date.parse(first.startedAt);
  const shifted = <Type extends { startedAtMs: number }>(record: TrialRecord, all: readonly Type[]) =>
    all.map(each => ({ ...each, startedAtMs: each.startedAtMs + later(record) }));
  const turns = records.flatMap(record => shifted(record, record.turns));
  const usages = records.map(({ usage }) => usage);
  const costUsd = sumOfCosts(usages.map(({ costUsd }) => costUsd));
  return {
    ...decisive(trials).record(),
    specHash: goalsHash(goals),
    agent: namesOf(records.map(({ agent }) => agent))!,
    model: namesOf(records.map(({ model }) => model)),
    replayed: records.some(({ replayed }) => replayed),
    seed: first.seed,
    turns: turns.sort((a, b) => a.number - b.number),
    actions: sumOf(records, ({ actions = 0 }) => actions),
    pageToolCalls: sumOf(records, ({ pageToolCalls = 0 }) => pageToolCalls),
    network: {
      events: records.flatMap(record => shifted(record, record.network.events)),
      dropped: sumOf(records, ({ network }) => network.dropped),
    },
    guard: records.some(({ guard }) => guard === 'route') ? 'route' : 'protocol',
    refusals: records.flatMap(({ refusals }) => refusals),
    usage: { ...sumOfTokens(usages), costUsd },
    costUsd,
    ...sumOfWaits(records),
    startedAt: first.startedAt,
    durationMs: Math.round(performance.now() - trials[0]!.startedAt),
  };
}

function namesOf(all: readonly (string | null)[]): string | null {
  const names = new Set(all.filter(name => name !== null));
  return names.size ? [...names].join(', ') : null;
}

/** @param lost why the test has failed, if it has */
function outcomeOf(record: TrialRecord, lost: string | undefined): Pick<TrialRecord, 'outcome' | 'reason'> {
  if (lost === undefined) return { outcome: 'passed', reason: null };
  const what = [record.endReason, lost].filter(Boolean).join('; ');
  return outcomeFields(record, { what, where: record.status === 'error' ? null : whereOf(record) });
}

const firstLine = (text: string) => oneLine(text.split('\n')[0]!.replace(/^Error: /, ''), 300);
const sentence = (text: string) =>
  `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
