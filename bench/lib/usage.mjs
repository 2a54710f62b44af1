// What a process and all that it started take: time of the processors and memory, read from /proc (Linux only).
import { readdirSync, readFileSync } from 'node:fs';

const TICKS = 100;
const EVERY_MS = 250;

/** Samples until `stop`. @param {number[]} roots their ids */
export function sampleTree(...roots) {
  /** @type {Map<string, number>} seconds by process, as last seen: the processes end one by one */
  const cpu = new Map();
  const memory = [];
  let round = 0;
  const timer = setInterval(() => {
    const tree = treeOf(roots);
    for (const { pid, seconds } of tree) cpu.set(pid, seconds);
    if (round++ % 4 === 0) memory.push(tree.reduce((sum, { pid }) => sum + pssMb(pid), 0));
  }, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return { cpuSeconds: [...cpu.values()].reduce((sum, one) => sum + one, 0), pssMb: memory };
    },
  };
}

function treeOf(roots) {
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(statOf);
  const inside = new Set(roots.map(String));
  // Children have higher ids than their parents, unless ids began again: hence once more until nothing is added.
  for (let before = 0; before !== inside.size; ) {
    before = inside.size;
    for (const { pid, parent } of all) if (inside.has(parent)) inside.add(pid);
  }
  return all.filter(({ pid }) => inside.has(pid));
}

function statOf(pid) {
  try {
    // After the name in brackets: the state, the parent, and further on user and system time.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return [{ pid, parent: fields[1], seconds: (Number(fields[11]) + Number(fields[12])) / TICKS }];
  } catch {
    return []; // It has ended.
  }
}

function pssMb(pid) {
  try {
    const kb = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0; // It has ended.
  }
}
