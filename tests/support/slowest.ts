// Prints the ten slowest files and tests at the end of a run, so that slow tests don't go unnoticed.
import type { Reporter, TestModule } from 'vitest/node';

interface Row {
  name: string;
  ms: number;
  /** Seconds of a processor, of which a file tells: ./cpu.ts. */
  cpu?: number;
}

export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    // The time of hooks counts for the file, since its tests share them.
    const files = modules.map(module => ({
      name: module.relativeModuleId,
      ms: module.diagnostic().duration,
      cpu: module.meta().cpu,
    }));
    const tests = modules.flatMap(module =>
      [...module.children.allTests()].map(test => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      })),
    );
    const cpu = files.reduce((sum, file) => sum + (file.cpu ?? 0), 0);
    print(`Slowest files, of ${cpu.toFixed(0)} s of CPU in all`, files);
    print('Slowest tests', tests);
  }
}

function print(title: string, rows: Row[]): void {
  const seconds = (value: number) => `${value.toFixed(1).padStart(6)} s`;
  console.log(`\n${title}`);
  for (const { name, ms, cpu } of rows.sort((a, b) => b.ms - a.ms).slice(0, 10))
    console.log(`  ${seconds(ms / 1000)}${cpu === undefined ? '' : `${seconds(cpu)} CPU`}  ${name}`);
}
