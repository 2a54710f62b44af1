// Prints the ten slowest tests at the end of a run, so that slow tests don't go unnoticed.
import type { Reporter, TestModule } from 'vitest/node';

export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap(module => [
      // The time of hooks counts for the file, since its tests share them.
      { name: `${module.relativeModuleId}`, ms: module.diagnostic().duration, file: true },
      ...[...module.children.allTests()].map(test => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
        file: false,
      })),
    ]);
    for (const file of [true, false]) {
      const slowest = rows
        .filter(row => row.file === file)
        .sort((a, b) => b.ms - a.ms)
        .slice(0, 10);
      console.log(file ? '\nSlowest files' : '\nSlowest tests');
      for (const { name, ms } of slowest) console.log(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
    }
  }
}
