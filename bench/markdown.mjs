// A results file as the table of docs/benchmarks.md: node bench/markdown.mjs bench/results/DATE.json
import { readFileSync } from 'node:fs';
import { cells } from './lib/report.mjs';

const { takenAt, machine, versions, sections } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const loads = sections.flatMap((/** @type {any} */ { load }) => [load.before[0], load.after[0]]);
const span = [Math.min(...loads), Math.max(...loads)].map(load => load.toFixed(1)).join(' to ');
const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
console.log(
  `Taken on ${takenAt.slice(0, 10)}: ${machine.cpus} cores (${machine.cpu}), ${machine.platform}, Node ${machine.node}, load average ${span}. ${named.join(', ')}.`,
);
for (const { bench, title, rows } of sections) {
  console.log(`\n**${bench}**: ${title}\n\n| | median | quartiles | target | |\n|---|---|---|---|---|`);
  for (const row of rows) {
    const [name, value, quartiles, , target, note] = cells(row);
    console.log(
      `| ${[name, value, quartiles, target, note].map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`,
    );
  }
}
