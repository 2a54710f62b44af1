// Why planned trials did not run.
import type { FullConfig, FullResult, Suite } from '@playwright/test/reporter';

/** @returns one clause; null if this process can't know, as in a shard. */
export function whyMissing(
  project: string,
  suite: Suite,
  config: FullConfig,
  result: FullResult,
): string | null {
  if (result.status === 'interrupted') return 'the run was interrupted';
  if (result.status === 'timedout')
    return `the run reached its globalTimeout of ${config.globalTimeout / 1000} s`;
  const failed = failedDependency(project, suite, config);
  if (failed !== undefined) return `project "${failed}" failed, which "${project}" depends on`;
  const { maxFailures } = config;
  const failures = suite.allTests().filter(test => test.results.length > 0 && !test.ok()).length;
  if (maxFailures > 0 && failures >= maxFailures)
    return `the run stopped at ${maxFailures === 1 ? 'its first failure' : `${maxFailures} failures`} (maxFailures)`;
  return null;
}

/** The nearest project with a failed test that this project depends on. */
function failedDependency(project: string, suite: Suite, config: FullConfig): string | undefined {
  const seen = new Set<string>();
  const next = [...dependenciesOf(project, config)];
  for (const name of next) {
    if (seen.has(name)) continue;
    seen.add(name);
    const tests = suite.allTests().filter(test => test.parent.project()?.name === name);
    if (tests.some(test => test.results.length > 0 && !test.ok())) return name;
    next.push(...dependenciesOf(name, config));
  }
  return undefined;
}

function dependenciesOf(project: string, config: FullConfig): readonly string[] {
  return config.projects.find(({ name }) => name === project)?.dependencies ?? [];
}
