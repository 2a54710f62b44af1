import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { TaskSpecError, TaskSpecValidationError, TaskSpecYamlError } from '../../../src/spec';
import { TaskSpecLoadError } from '../../../src/spec/errors';
import { loadTaskSpecs } from '../../../src/spec/load';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'my specs ')));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function yaml(id: string, more = ''): string {
  return `# a task
specVersion: '0.1'
id: ${id}
goal: 'Start a trial'
entryUrl: 'https://example.com'
assertions:
  - type: url
    pattern: '**/trial**'
  - { type: dom, selector: h1 }
${more}`;
}

function write(files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), content);
  }
}

const load = (globs: unknown, options = { cwd }) => loadTaskSpecs(globs as string, options.cwd);
const idsOf = (globs: unknown) => load(globs).specs.map(({ spec }) => spec.id);

function loadErrorOf(globs: unknown, options?: { cwd: string }): TaskSpecLoadError {
  const { error } = load(globs, options);
  expect(error).toBeInstanceOf(TaskSpecLoadError);
  expect(error).toBeInstanceOf(TaskSpecError);
  return error!;
}

describe('the files of globs', () => {
  beforeEach(() =>
    write({
      'tasks/b.yaml': yaml('b'),
      'tasks/a.yaml': yaml('a'),
      'tasks/deep/c.yml': yaml('c'),
      'tasks/.hidden/d.yaml': yaml('d'),
      'tasks/node_modules/e.yaml': yaml('e'),
      'other/f.yaml': yaml('f'),
    }),
  );

  it.each([
    ['tasks/**/*.{yaml,yml}', ['a', 'b', 'c']],
    [
      ['tasks/b.yaml', '**/*.yaml'],
      ['f', 'a', 'b'],
    ],
    [
      ['**/*.yaml', '!tasks/a.yaml'],
      ['f', 'b'],
    ],
    [
      ['!other/**', '**/*.yaml'],
      ['a', 'b'],
    ],
    ['tasks/.hidden/*.yaml', ['d']],
    ['tasks/node_modules/*.yaml', ['e']],
    ['!(other)/*.yaml', ['a', 'b']],
  ])('%j: %j', (globs, ids) => {
    expect(idsOf(globs)).toEqual(ids);
  });

  it('may be absolute, or lie above', () => {
    expect(idsOf(path.join(cwd, 'other/*.yaml'))).toEqual(['f']);
    expect(load('../other/*.yaml', { cwd: path.join(cwd, 'tasks') }).specs[0]!.file).toBe(
      path.join(cwd, 'other/f.yaml'),
    );
  });

  it('start from a folder whose name could be a glob', () => {
    write({ '[x] (y) {a,b}!/g.yaml': yaml('g') });
    expect(load('*.yaml', { cwd: path.join(cwd, '[x] (y) {a,b}!') }).specs).toHaveLength(1);
  });

  it('follow no link, unless it is named', () => {
    symlinkSync(path.join(cwd, 'other'), path.join(cwd, 'tasks/link'));
    expect(idsOf('tasks/**/*.yaml')).toEqual(['a', 'b']);
    symlinkSync(path.join(cwd, 'other/f.yaml'), path.join(cwd, 'tasks/f.yaml'));
    expect(idsOf('tasks/**/*.yaml')).toEqual(['a', 'b']);
    expect(idsOf('tasks/f.yaml')).toEqual(['f']);
  });
});

describe('a loaded spec', () => {
  it('can be changed nowhere', () => {
    write({ 'a.yaml': yaml('a', 'tags: [x]\n') });
    const { spec } = load('a.yaml').specs[0]!;
    for (const inner of [spec, spec.passPolicy, spec.tags, spec.assertions, spec.assertions[0]])
      expect(Object.isFrozen(inner)).toBe(true);
  });

  it('knows its file and the places in it', () => {
    write({ 'a.yaml': yaml('a', 'judge: >\n  Is it so?\n"description": &d x\ntags: [*d]\n') });
    const [loaded] = load('a.yaml').specs;
    expect(loaded).toMatchObject({ file: path.join(cwd, 'a.yaml'), spec: { id: 'a', maxSteps: 20 } });
    expect(
      [
        '',
        'id',
        'goal',
        'assertions',
        'assertions[0]',
        'assertions[1]',
        'assertions[1].selector',
        'judge',
        'description',
        'tags[0]',
      ].map(at => Object.values(loaded!.locate(at) ?? {}).join(':')),
    ).toEqual(['2:1', '3:5', '4:7', '7:3', '7:5', '9:5', '9:28', '10:8', '12:19', '13:8']);
    for (const absent of [
      'maxSteps',
      '[0]',
      'assertions[2]',
      'assertions[0].text',
      'passPolicy.k',
      'id.x',
      'assertions.type',
    ])
      expect(loaded!.locate(absent)).toBeUndefined();
  });

  it('knows the places behind an alias', () => {
    write({
      'b.yaml': yaml('b').replace('- type', '- &a\n    type').replace('{ type: dom, selector: h1 }', '*a'),
    });
    expect(load('b.yaml').specs[0]!.locate('assertions[1].pattern')).toEqual({ line: 9, column: 14 });
  });

  it('has a hash of what it means, not of how it is written', () => {
    const reordered = `id: a\n${yaml('a').replace('id: a\n', '')}maxSteps: 20\nallowedDomains: [example.com]\n`;
    write({ '1/a.yaml': yaml('a'), '2/a.yaml': reordered, '3/a.yaml': yaml('a', 'maxSteps: 21\n') });
    const [first, second, third] = ['1', '2', '3'].map(folder => load(`${folder}/*.yaml`).specs[0]!.hash);
    // Saved baselines and recordings hold it: another value here makes every one of them look outdated.
    expect(first).toBe('94e0532c42531b067a3a0901cbd38f1013847260b6b5b68d4edf06a5c0f7af89');
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

describe('wrong globs', () => {
  it.each([
    [undefined, 'undefined'],
    ['', '""'],
    ['!', '"!"'],
    [[], 'undefined'],
    [['a', 5], 'number'],
  ])('%j', (globs, got) => {
    const { message, errors, name } = loadErrorOf(globs);
    expect(message).toBe(
      `a glob for task specs must be a non-empty string, such as 'tasks/**/*.yaml', or a list of them; got ${got}`,
    );
    expect(errors).toEqual([]);
    expect(name).toBe('TaskSpecLoadError');
  });

  it('are all named that match nothing, and what to do is said once', () => {
    write({ 'other/a.yaml': yaml('a') });
    const { message } = loadErrorOf(['x/*.yaml', 'other/*.yaml', 'other/', 'y/*.yaml', '!z']);
    expect(message).toContain(`no task spec matches "x/*.yaml", "other/", "y/*.yaml" in ${cwd}. Check the`);
    expect(message.match(/Check the spelling/g)).toHaveLength(1);
  });

  it.each([['tasks/*.yaml'], ['other'], [['other/*.yaml', '!**/a.yaml']], [['!x']]])(
    '%j matches nothing',
    globs => {
      write({ 'other/a.yaml': yaml('a') });
      expect(loadErrorOf(globs).message).toMatch(/^no task spec matches ".* in .*\. Check the spelling/);
    },
  );
});

describe('wrong files', () => {
  it('are all reported at once, and the good ones kept', () => {
    write({
      'a.yaml': yaml('a'),
      'broken.yaml': `${yaml('broken')}tags: [\n`,
      'invalid.yaml': yaml('Invalid', 'maxStep: 1\n'),
      'old.yaml': yaml('old').replace('0.1', '0.0'),
      'large.yaml': Buffer.concat([Buffer.from([0x23, 0xe9]), Buffer.alloc(1024 * 1024, 'x')]),
      'latin.yaml': Buffer.from([0x67, 0xe9]),
      'one.yaml': yaml('same'),
      'two.yaml': `\n${yaml('same')}`,
    });
    const error = loadErrorOf('*.yaml');
    const { message, errors } = error;
    expect(message).toMatch(/^6 problems with the task specs\n/);
    for (const { message: each } of errors) expect(message).toContain(each);
    const names = ['broken.yaml', 'invalid.yaml', 'large.yaml', 'latin.yaml', 'old.yaml'];
    expect(errors.slice(0, 5).map(error => path.basename(error.filename!))).toEqual(names);
    for (const name of names) expect(message).toMatch(new RegExp(`${name}: [\\s\\S]*${name}:\\d+:\\d+ `));
    expect(message).toMatch(/invalid\.yaml:3:5 id: /);
    expect(message).toMatch(/invalid\.yaml:10:1 maxStep: .*did you mean `maxSteps`/);
    expect(message).toMatch(/latin\.yaml:1:1 not UTF-8/);
    expect(message).toMatch(/large\.yaml:1:1 larger than 1 MiB/);
    expect(message).toMatch(
      /2 files have the id "same".*\n.*one\.yaml:3:5 id: same\n.*two\.yaml:4:5 id: same/,
    );
    expect(inspect(error)).toBe(error.stack);
    expect(errors.at(-1)!.name).toBe('TaskSpecError');
    expect(errors[0]).toBeInstanceOf(TaskSpecYamlError);
    expect(errors[1]).toBeInstanceOf(TaskSpecValidationError);
    expect(idsOf('*.yaml')).toEqual(['a']);
  });

  it('are named from the working directory, if they are below it', () => {
    write({ 'tasks/a.yaml': yaml('A'), 'b.yaml': yaml('B') });
    const messageFrom = (folder: string) => {
      const working = vi.spyOn(process, 'cwd').mockReturnValue(path.join(cwd, folder));
      onTestFinished(() => working.mockRestore());
      return loadErrorOf(['tasks/*.yaml', 'b.yaml']).message;
    };
    expect(messageFrom('')).toMatch(/^2 problems with the task specs\n\nb\.yaml: .*\n.*\n\ntasks\/a\.yaml: /);
    expect(messageFrom('tasks')).toContain(`\n\n${cwd}/b.yaml: 1 problem`);
    expect(messageFrom('tasks')).toContain('\n\na.yaml: 1 problem');
  });

  it('one alone is one problem; one of 1 MiB exactly is none', () => {
    write({ 'a.yaml': yaml('A'), 'b.yaml': `${yaml('b')}#`.padEnd(1024 * 1024, 'x') });
    expect(loadErrorOf('*.yaml').message).toMatch(/^1 problem with the task specs\n\n/);
    expect(idsOf('b.yaml')).toEqual(['b']);
  });

  it('a folder that ends like a spec is no spec', () => {
    write({ 'a.yaml': yaml('a'), 'b.yaml/x.txt': '' });
    expect(idsOf('*.yaml')).toEqual(['a']);
  });
});
