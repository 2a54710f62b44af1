// Lets the trials of specs share workers. Playwright starts a worker for each repeat index, since a worker makes the ids of tests with the
// index that it began with. That costs more than a short trial. Checked on Playwright 1.64.1 and 1.65.1 (createTestGroups, Dispatcher,
// WorkerMain.runTestGroup). In a newer version, workers are not shared until this is checked.
import { type TestInfo, test } from '@playwright/test';
import type { Suite, TestCase } from '@playwright/test/reporter';
import { isChecked } from './version';

/** The annotation that tells a worker the repeat index of a test. It is removed before the test begins. */
const INDEX = '_taskproof-repeat';

type Annotation = { type: string; description: string };
type InnerTest = TestCase & { _workerHash: string; _planAnnotations: Annotation[] };
type InnerSuite = Suite & { _parallelMode: string; _hooks: readonly { type: string }[] };

/** Call it in `preprocess`, with tests whose file calls `followRepeats` in the worker. */
export function shareWorkers(tests: readonly TestCase[], isKnown = isChecked()): void {
  if (!isKnown) return;
  for (const test of tests as InnerTest[]) {
    if (!isDispatchedAlone(test)) continue;
    test._workerHash = test._workerHash.replace(/\d+$/, 'taskproof');
    test._planAnnotations.push({ type: INDEX, description: String(test.repeatEachIndex) });
  }
}

function isDispatchedAlone({ parent }: InnerTest): boolean {
  const suites: InnerSuite[] = [];
  for (let at: Suite | undefined = parent; at; at = at.parent) suites.push(at as InnerSuite);
  const modes = suites.map(suite => suite._parallelMode);
  if (!modes.includes('parallel') || modes.some(mode => /^(?:serial|default)$/.test(mode))) return false;
  return !suites.some(({ _hooks }) => _hooks.some(({ type }) => /^(?:before|after)All$/.test(type)));
}

interface Message {
  params?: { method: string; params?: { entries?: { planAnnotations: Annotation[] }[] } };
}

/** The parameters of this worker, once its first test has begun. */
let worker: { repeatEachIndex: number } | undefined;
let follows = false;

/** In a worker, runs each test with the index that was sent with it. */
export function followRepeats(): void {
  const { send } = process;
  if (follows || !send) return;
  follows = true;
  process.send = (...args: unknown[]) => {
    const [message] = args as [Message];
    if (message.params?.method === 'testBegin') learnWorker();
    return (send as (...args: unknown[]) => boolean).apply(process, args);
  };
  // It must run before Playwright's own listener, which runs the tests.
  process.prependListener('message' as never, ({ params: sent }: Message) => {
    const [entry] = (sent?.method === 'runTestGroup' && sent.params?.entries) || [];
    const index = entry?.planAnnotations.find(({ type }) => type === INDEX);
    if (index && worker) worker.repeatEachIndex = Number(index.description);
  });
}

function learnWorker(): void {
  const info = test.info() as TestInfo & { _workerParams: typeof worker };
  worker = info._workerParams;
  const at = info.annotations.findIndex(({ type }) => type === INDEX);
  if (at >= 0) info.annotations.splice(at, 1);
}
