// Playwright's objects as the reporter and workers meet them, as far as the library touches them. With what it looks for inside: else a
// run says that Playwright has changed.
import type {
  FullConfig,
  FullProject,
  Suite,
  TestCase,
  TestResult,
  TestStep,
} from '@playwright/test/reporter';
import { RECORD_ATTACHMENT, type TrialRecord } from '../../src/data/record';

export interface FakeTest {
  title?: string;
  annotations?: TestCase['annotations'];
  repeatEachIndex?: number;
  retries?: number;
  project?: FullProject;
  file?: string;
  /** Around it. */
  describe?: string;
  line?: number;
  /** More of the test, and of the suite around it; undefined takes away what is there. */
  inside?: object;
  outside?: object;
}

export function fakeProject(name = 'agents', more: Partial<FullProject> = {}): FullProject {
  return { name, repeatEach: 1, use: {}, dependencies: [], ...more } as FullProject;
}

export function fakeTest(given: FakeTest = {}): TestCase {
  const { title = 'cart', repeatEachIndex = 0, retries = 0, project = fakeProject(), line = 1 } = given;
  const { file = 'tasks.spec.ts', describe, annotations = [], inside, outside } = given;
  const tags: string[] = [];
  const parent = { project: () => project, _use: [], type: 'project', _fullProject: {}, ...outside };
  const path = ['', project.name, file, ...(describe ? [describe] : [])];
  const made = {
    ...{ id: `${project.name} ${title} ${repeatEachIndex}`, title, annotations: [...annotations] },
    ...{
      repeatEachIndex,
      retries,
      expectedStatus: 'passed',
      results: [],
      tags,
      _tags: tags,
      _testType: null,
      _appendTestResult: () => undefined,
    },
    ...{ location: { file: `/suite/${file}`, line, column: 1 }, parent: withoutUndefined(parent) },
    titlePath: () => [...path, made.title],
    ok: () => made.results.every(({ status }: TestResult) => status === made.expectedStatus),
    ...inside,
  };
  return made as unknown as TestCase;
}

/** One for each repeat. */
export const fakeRepeats = (repeatEach: number, given: FakeTest = {}): TestCase[] =>
  Array.from({ length: repeatEach }, (_, repeatEachIndex) => fakeTest({ ...given, repeatEachIndex }));

export const fakeSuite = (tests: readonly TestCase[]): Suite =>
  ({ allTests: () => [...tests] }) as unknown as Suite;

export function fakeConfig(
  projects: readonly FullProject[] = [],
  more: Partial<FullConfig> = {},
): FullConfig {
  const plain = { metadata: {}, reporter: [], shard: null, maxFailures: 0, globalTimeout: 0 };
  return { ...plain, configFile: '/suite/playwright.config.ts', projects, ...more } as unknown as FullConfig;
}

export type FakeResult = Partial<Omit<TestResult, 'steps'>> & {
  steps?: readonly Partial<TestStep>[];
  /** Attached as a trial attaches it. */
  record?: TrialRecord | undefined;
};

/** Without a record, a failed trial is an error of the infrastructure. */
export function fakeResult({
  record,
  attachments = [],
  annotations = [],
  ...more
}: FakeResult = {}): TestResult {
  const plain = { status: 'passed', retry: 0, duration: 5, errors: [], steps: [] };
  const attached = record ? [...attachments, jsonAttachment(RECORD_ATTACHMENT, record)] : [...attachments];
  return { ...plain, ...more, annotations: [...annotations], attachments: attached } as unknown as TestResult;
}

export const jsonAttachment = (name: string, value: unknown): TestResult['attachments'][number] => ({
  name,
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
});

const withoutUndefined = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
