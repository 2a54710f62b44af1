// The tests of a run, from the output of Playwright's JSON reporter.
import type { JSONReport, JSONReportSpec, JSONReportSuite, JSONReportTest } from '@playwright/test/reporter';

/** A test in one project, with what its suite knows of it. */
export type ReportedTest = JSONReportTest & Pick<JSONReportSpec, 'id' | 'title' | 'file' | 'ok'>;

/** @param json output of the reporter `json` */
export function testsIn(json: string): ReportedTest[] {
  const specsOf = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
    ...specs,
    ...suites.flatMap(specsOf),
  ];
  return (JSON.parse(json) as JSONReport).suites
    .flatMap(specsOf)
    .flatMap(({ tests, id, title, file, ok }) => tests.map(test => ({ ...test, id, title, file, ok })));
}
