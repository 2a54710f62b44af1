import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Io } from '../../../src/cli/io';
import { run } from '../../../src/cli/program';
import type { Results } from '../../../src/data/results';
import { tempFolder } from '../../support/temp-folder';
import { results, row } from '../report/render/rows';

/** A temporary folder with these files, in which command lines run; gone after the test. */
export function suite(files: Record<string, string> = {}) {
  const folder = tempFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    folder,
    write,
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    async taskproof(args: string[], io: Partial<Io> = {}) {
      const [out, err]: [string[], string[]] = [[], []];
      const code = await run(args, {
        cwd: folder,
        out: text => void out.push(text),
        err: text => void err.push(text),
        colour: false,
        ...io,
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    },
  };
}

export const SPEC = `specVersion: '0.1'
id: pricing-trial
goal: 'Find the price'
entryUrl: 'http://127.0.0.1:1/'
passPolicy: { k: 5, minPasses: 4 }
assertions:
  - type: url
    pattern: '**/trial**'
`;

/** A results file in which each spec's trials are given as letters: `{ cart: 'ppfpp' }`. */
export function resultsFile(specs: Record<string, string>, more: Partial<Results> = {}): string {
  const verdicts = Object.entries(specs).map(([spec, letters]) => row(spec, letters));
  return JSON.stringify(results(verdicts, { status: 'passed', ...more }));
}
