// What a repository offers to people who want to report, contribute and release.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../../package.json';

const read = (file: string) => readFileSync(file, 'utf8');

test('the owner of the repository is named in package.json alone', () => {
  const { repository, homepage, bugs } = packageJson;
  const [, address] = /^git\+(https:\/\/github\.com\/[^/]+\/[^/]+)\.git$/.exec(repository.url)!;
  expect(homepage).toBe(`${address}#readme`);
  expect(bugs).toBe(`${address}/issues`);
  const files = execFileSync('git', ['ls-files', '*.md', '*.yml', '*.yaml', '*.json', 'src', 'scripts'], {
    encoding: 'utf8',
  });
  const naming = files.split('\n').filter(file => file && read(file).includes(address!.slice(8)));
  expect(naming).toEqual(['package.json']);
});

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

const workflows = readdirSync('.github/workflows').map(file => ({
  file,
  ...(parse(read(`.github/workflows/${file}`)) as {
    permissions: object;
    jobs: Record<string, { permissions?: object; needs?: string; steps: Step[]; 'timeout-minutes': number }>;
  }),
}));

test.each(workflows)(
  '$file may read alone unless a job says more, ends some time, and runs what exists',
  workflow => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [name, job] of Object.entries(workflow.jobs)) {
      expect(job['timeout-minutes'], name).toBeGreaterThan(0);
      for (const { run = '' } of job.steps) {
        const [, script] = /^npm run (\S+)/.exec(run) ?? [];
        if (script) expect(packageJson.scripts).toHaveProperty([script]);
        if (run.startsWith('bash ')) expect(read(run.slice(5))).toMatch(/^#!/);
      }
    }
  },
);

test('a release is tested first, and published with provenance and without a token', () => {
  const { jobs } = workflows.find(({ file }) => file === 'release.yml')!;
  const publish = jobs.publish!;
  expect(publish.needs).toBe('test');
  expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  const commands = publish.steps.map(({ run }) => run ?? '');
  expect(commands.at(-1)).toBe('npm publish --provenance --access public');
  // Publishing packs, and packing builds.
  expect(packageJson.scripts.prepack).toBe('npm run build');
  expect(commands.join()).not.toContain('--ignore-scripts');
  expect(JSON.stringify(publish)).not.toMatch(/secrets\./);
});
