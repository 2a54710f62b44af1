import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  parseTaskSpec,
  SUPPORTED_SPEC_VERSIONS,
  safeParseTaskSpec,
  TaskSpecError,
  TaskSpecValidationError,
  TaskSpecYamlError,
  UnsupportedSpecVersionError,
} from '../../../src/spec';
import { errorOf, issuesOf, minimal, source } from './specs';

// Properties try hundreds of inputs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const yaml = `specVersion: '0.1'
id: pricing-trial
goal: 'Start a trial'
entryUrl: 'https://example.com'
assertions:
  - type: url
    pattern: '**/trial**'
`;

describe('the same spec', () => {
  it.each([
    ['a byte order mark', `\uFEFF${yaml}`],
    ['CRLF', yaml.replaceAll('\n', '\r\n')],
    ['document markers', `---\n${yaml}...\n`],
    ['comments around', `# a\n${yaml}# b\n`],
    ['JSON', source()],
    ['an alias', `${yaml}tags: [&a x]\ndescription: *a\n`],
  ])('parses with %s', (_, text) => {
    expect(parseTaskSpec(text)).toMatchObject(minimal);
  });
});

describe('specVersion', () => {
  const withVersion = (version: string) => yaml.replace("'0.1'", version);

  it('that is missing', () => {
    const error = errorOf(yaml.replace(/^.*\n/, ''), 'a.yaml');
    expect(error).toBeInstanceOf(UnsupportedSpecVersionError);
    expect(error).toMatchObject({ version: undefined, supported: SUPPORTED_SPEC_VERSIONS });
    expect(error.message).toBe(
      'a.yaml: specVersion is missing\n  a.yaml:1:1 supported: "0.1", "playwright/1"; write specVersion: "0.1"',
    );
    expect(errorOf('{}')).toBeInstanceOf(UnsupportedSpecVersionError);
    expect(SUPPORTED_SPEC_VERSIONS).toEqual(['0.1', 'playwright/1']);
  });

  it.each(['0.2', '', '__proto__', '0.1.0'])('"%s" is unsupported', version => {
    const error = errorOf(withVersion(`'${version}'`), 'a.yaml');
    expect(error).toBeInstanceOf(UnsupportedSpecVersionError);
    expect(error).toMatchObject({ version, supported: SUPPORTED_SPEC_VERSIONS, line: 1, column: 14 });
    expect(error.message).toBe(
      `a.yaml: specVersion "${version}" is not supported\n  a.yaml:1:14 supported: "0.1", "playwright/1"; write specVersion: "0.1"`,
    );
  });

  it.each(['0.1', '.nan'])('the number %s is to be quoted', version => {
    const error = errorOf(withVersion(version));
    expect(error).toBeInstanceOf(TaskSpecValidationError);
    expect(error.message).toMatch(/quote/);
    expect(error.message).toContain('specVersion: "0.1"');
  });

  it('of a wrong type is reported with all else', () => {
    const paths = issuesOf(`${withVersion('0.1')}maxSteps: 0\n`).map(issue => issue.path);
    expect(paths).toEqual(['specVersion', 'maxSteps']);
  });
});

describe('a document that is not a mapping', () => {
  it.each([
    ['', 'nothing'],
    ['# only a comment\n', 'nothing'],
    ['~', 'nothing'],
    ['text', 'a string'],
    ['- a', 'a list (array)'],
    ['42', 'a number (42)'],
  ])('%j is %s', (text, got) => {
    expect(issuesOf(text)).toEqual([
      {
        path: '',
        message: `a task spec must be a mapping (key: value pairs), got ${got}`,
        line: 1,
        column: 1,
      },
    ]);
  });
});

describe('errors', () => {
  it('all are TaskSpecErrors with their own name and filename', () => {
    for (const text of ['', '{}', 'a: [', source({ id: 'A' })]) {
      const error = errorOf(text, 'tasks/a.yaml');
      expect(error).toBeInstanceOf(TaskSpecError);
      expect(error).toBeInstanceOf(Error);
      expect(error.name).toBe(error.constructor.name);
      expect(error.filename).toBe('tasks/a.yaml');
      expect(error.message).toMatch(/^tasks\/a\.yaml: /);
      expect(error.message).toMatch(/tasks\/a\.yaml:1:\d+/);
      expect(errorOf(text, '').message).toBe(errorOf(text).message);
      expect(errorOf(text).filename).toBeUndefined();
      expect(errorOf(text).message).not.toMatch(/undefined|^:/);
      expect(() => parseTaskSpec(text)).toThrow(error.constructor as typeof TaskSpecError);
    }
  });

  it('report everything at once, each with its place, in the order of the file', () => {
    const text = `specVersion: "0.1"
id: Pricing
maxStep: 3
goal: ""
entryUrl: http://[::1]:3000/
maxSteps: 1.5
maxCostUsd: .nan
passPolicy: { k: 2, minPasses: 3, quorum: 1 }
assertions:
  - type: dom
    state: text
    selectr: h1
  - type: network
    urlPattern: '**'
    status: 600
    __proto__: { a: 1 }
__proto__: 1
`;
    expect(issuesOf(text).map(({ path, line, column }) => `${line}:${column} ${path}`)).toEqual([
      '2:5 id',
      '3:1 maxStep',
      '4:7 goal',
      '5:11 allowedDomains',
      '6:11 maxSteps',
      '7:13 maxCostUsd',
      '8:32 passPolicy.minPasses',
      '8:35 passPolicy.quorum',
      '10:5 assertions[0].selector',
      '11:12 assertions[0].text',
      '12:5 assertions[0].selectr',
      '15:13 assertions[1].status',
      '16:5 assertions[1].__proto__',
      '17:1 __proto__',
    ]);
    const { message } = errorOf(text, 'a.yaml');
    expect(message.split('\n')[0]).toBe('a.yaml: 14 problems in this task spec');
    expect(message).toContain(
      '\n  a.yaml:12:5 assertions[0].selectr: unknown key `selectr` (did you mean `selector`?)',
    );
    expect(message).toMatch(/a\.yaml:7:13 maxCostUsd: .*finite/);
    expect(message).toMatch(
      /a\.yaml:5:11 allowedDomains: .*"\[::1\]": add allowedDomains.*use a name, such as localhost/,
    );
  });

  it.each(['timeout', '__proto__'])('suggest nothing for %s', key => {
    const [issue] = issuesOf(`${yaml}${key}: 1\n`);
    expect(issue).toMatchObject({ path: key, line: 8 });
    expect(issue!.message).toMatch(/unknown key .*known here: .*`maxSteps`/);
  });

  it('never show a password', () => {
    for (const entryUrl of [
      'https://user:hunter2@example.com',
      'ftp://user:hunter2@x',
      'https://user:hunter2@',
    ])
      expect(errorOf(source({ entryUrl })).message).not.toContain('hunter2');
  });

  it('never pass on what a terminal would obey', () => {
    const { message } = errorOf(source({ '\u001b[2J\u009b\u202e': 1, specVersion: '0.1' }), 'a.yaml');
    expect(message).toContain('\\u001b[2J\\u009b\\u202e');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each([
    [{ goal: undefined }, 'goal: is required, but missing'],
    [{ assertions: [{ type: 'url' }] }, 'assertions[0].pattern: is required, but missing'],
    [{ assertions: [{}] }, 'assertions[0].type: must be one of url, dom, network, got nothing'],
    [{ goal: null }, 'goal: must be a string, got nothing (put quotes around text that begins with #)'],
    [{ maxSteps: '5' }, 'maxSteps: must be a finite number, got a string'],
    [{ goal: { a: 1 } }, 'goal: must be a string, got a mapping (object)'],
    [{ goal: true }, 'goal: must be a string, got a boolean (true): quote it'],
    [{ tags: 'x' }, 'tags: must be a list, got a string'],
    [{ passPolicy: 3 }, 'passPolicy: must be a mapping (key: value pairs), got a number (3)'],
    [{ maxSteps: 1.5 }, 'maxSteps: must be a whole number'],
    [{ maxSteps: 201 }, 'maxSteps: must be at most 200, got 201'],
    [{ maxCostUsd: 0 }, 'maxCostUsd: must be above 0, got 0'],
    [{ goal: '' }, 'goal: must not be empty'],
    [{ goal: 'x'.repeat(2001) }, 'goal: must be at most 2000 characters long, got 2001'],
    [{ assertions: [] }, 'assertions: must not be an empty list'],
    [
      { assertions: [{ type: 'dom', selector: 'h1', state: 'Visible' }] },
      'assertions[0].state: must be one of visible, attached, text, absent, hidden, got "Visible" (did you mean `visible`?)',
    ],
    [
      { assertions: [{ type: 'dom', selector: 'h1', state: 'gone' }] },
      'assertions[0].state: must be one of visible, attached, text, absent, hidden, got "gone"',
    ],
    [{ assertions: [{ type: 5 }] }, 'assertions[0].type: must be one of url, dom, network, got a number (5)'],
    [
      { assertions: [{ type: 'network', urlPattern: '**', status: 99 }] },
      'assertions[0].status: must be a whole number from 100 to 599, or a class "1xx" to "5xx"',
    ],
    [
      { assertions: [{ type: 'network', urlPattern: '**', status: '2XX' }] },
      'assertions[0].status: must be a whole number from 100 to 599, or a class "1xx" to "5xx" (did you mean "2xx"?)',
    ],
    [
      { allowedDomains: ['a b'] },
      'allowedDomains[0]: must be a hostname such as "example.com", "*.example.com" or "localhost", without scheme, port or path',
    ],
    [
      { entryUrl: '/cart' },
      'entryUrl: must be an absolute http: or https: URL, such as "https://example.com"; a path needs specVersion: "playwright/1"',
    ],
    [
      { id: 'A' },
      'id: must be 1 to 64 lowercase letters, digits and hyphens, beginning with a letter or digit ("pricing-trial")',
    ],
    [
      { specVersion: true },
      'specVersion: must be a string in quotes, got a boolean (true): write specVersion: "0.1"',
    ],
    [{ maxStep: 3 }, 'maxStep: unknown key `maxStep` (did you mean `maxSteps`?)'],
    [
      { passPolicy: { k: 1, minPasses: 1, xyzzy: 1 } },
      'passPolicy.xyzzy: unknown key `xyzzy` (known here: `k`, `minPasses`)',
    ],
  ])('say what is wrong and what to do: %j', (fields, expected) => {
    const [line] = errorOf(source(fields as Record<string, unknown>))
      .message.split('\n')
      .slice(1);
    expect(line!.replace(/^ {2}\d+:\d+ /, '')).toBe(expected);
  });

  it('stay readable where there are thousands', () => {
    const tags = Array.from({ length: 5000 }, () => 1);
    const error = errorOf(source({ tags })) as TaskSpecValidationError;
    expect(error.issues).toHaveLength(5000);
    expect(error.message.split('\n')).toHaveLength(52);
    expect(error.message).toMatch(/and 4950 more$/);
  });

  it('stand with the nearest thing that the file has', () => {
    const text = `${yaml}  - type: dom\npassPolicy:\n  k: 2\n`;
    expect(issuesOf(text).map(({ path, line, column }) => `${line}:${column} ${path}`)).toEqual([
      '8:5 assertions[1].selector',
      '10:3 passPolicy.minPasses',
    ]);
  });

  it('are whole', () => {
    const at = { line: 1, column: 1 };
    expect(new UnsupportedSpecVersionError('9', ['1', '2'], at).message).toContain('supported: "1", "2";');
    expect(errorOf(`${yaml}? [a]\n: b\n`, 'a.yaml').message).toMatch(
      /^a\.yaml: not a readable YAML file\n {2}a\.yaml:8:\d+ .*keys must be strings$/,
    );
  });

  it('explain a value that YAML took for something else', () => {
    expect(errorOf(`${yaml}description: #nav\n`).message).toMatch(/8:1 description: .*begins with #/);
    expect(errorOf(`${yaml}description: [data-x]\n`).message).toMatch(/list.*quote it/);
    expect(errorOf(`${yaml}<<: { maxSteps: 3 }\n`).message).toMatch(
      /`<<`: YAML merge keys are not supported/,
    );
  });
});

describe('unreadable YAML', () => {
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (const [index, name] of [...'bcdefghi'].entries())
    bomb.push(`${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(9)}]`);
  const large = 1024 * 1024;

  it.each([
    ['an open bracket', `${yaml}tags: [a\n`, 9, /./],
    ['a tab as indentation', `${yaml}\ttags: x\n`, 8, /use spaces/],
    ['a colon in a text', 'id: a\ngoal: Buy: a plant\n', 2, /quotes around a text with a colon/],
    ['a line that is indented too far', 'id: a\n  goal: Buy\n', 1, /indent the line below/],
    ['an item with lines out of line', 'tags:\n  - a: b\n   c: d\n', 3, /like the others of its item/],
    ['no space after a colon', 'tags:\n  - a:b\n    c: d\n', 2, /a space after the colon/],
    ['a text with a blank before its #', `${yaml}judge: Order #1042 came\n`, 8, /"#1042 came" is a comment/],
    ['one in a body', `${yaml}body: { id: Order #1042\n  }\n`, 8, /"#1042" is a comment/],
    ['one in a list', `${yaml}allowedDomains: [\n  a.test #b\n  ]\n`, 9, /"#b" is a comment/],
    ['quotes in quotes', 'goal: "Buy the "big" plant"\n', 1, /a backslash before each quote/],
    ['a repeated key', `${yaml}goal: again\n`, 8, /keys must be unique: remove or rename this one/],
    ['a repeated __proto__', `${yaml}__proto__: 1\n__proto__: 2\n`, 9, /keys must be unique/],
    ['two documents', `${yaml}---\n${yaml}`, 8, /second document/],
    [
      'an unquoted wildcard domain',
      `${yaml}allowedDomains:\n  - *.example.com\n`,
      9,
      /"\*\.example\.com".*quotes/,
    ],
    ['an alias before its anchor', `tags: [*a]\n${yaml}description: &a x\n`, 1, /anchor/],
    ['a tag that a terminal would obey', `${yaml}tags: !<\u001b[2J> x\n`, 8, /\\u001b\[2J.*remove the tag/],
    ['a tag', `${yaml}tags: !include x.yaml\n`, 8, /!include.*remove the tag/],
    ['binary', `${yaml}description: !!binary aGk=\n`, 8, /remove the tag/],
    ['an alias bomb', `${yaml}${bomb.join('\n')}\n`, 1, /alias/],
    ['a list of aliases', `a: &a []\nb: [${'*a,'.repeat(6_000)}]`, 2, /aliases/],
    ['deep brackets', '['.repeat(10_000), 1, /can't be read|stack/],
    ['over 1 MiB', `${yaml}#${'x'.repeat(large)}`, 1, /1 MiB/],
    ['over 1 MiB in UTF-8', `#${'\u20ac'.repeat(large / 2)}`, 1, /1 MiB/],
  ])('%s', (_, text, line, message) => {
    const error = errorOf(text, 'a.yaml') as TaskSpecYamlError;
    expect(error).toBeInstanceOf(TaskSpecYamlError);
    expect(error.line).toBe(line);
    expect(error.column).toBeGreaterThanOrEqual(1);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(new RegExp(`^a\\.yaml: .*\\n  a\\.yaml:${line}:${error.column} `));
  });

  it.each(['main # thanks', 'main #TODO', '"main" #thanks', '\n  #thanks\n  main'])(
    'keeps comments that can be nothing else: %s',
    judge => {
      const text = `${yaml}maxSteps: 9 #turns\ntags: [a, b #c\n  ]\njudge: ${judge}\n`;
      expect(parseTaskSpec(text)).toMatchObject({ judge: 'main' });
    },
  );

  it('reads 1 MiB exactly', () => {
    expect(parseTaskSpec(`${yaml}#`.padEnd(large, 'x'))).toMatchObject(minimal);
  });

  it('finds places behind a byte order mark', () => {
    expect(errorOf('\uFEFFa: 1\n')).toMatchObject({ line: 1, column: 1 });
    expect(issuesOf(`\uFEFF${source({ id: 'A' })}`)[0]!.column).toBe(
      issuesOf(source({ id: 'A' }))[0]!.column,
    );
  });
});

describe('circular aliases', () => {
  it('are answered like any other value', () => {
    expect(issuesOf(`${yaml}tags: &a [*a]\n`)).toMatchObject([{ path: 'tags[0]', line: 8, column: 11 }]);
    expect(issuesOf(`&a {specVersion: '0.1', assertions: [*a]}`).map(issue => issue.path)).toContain(
      'assertions[0].type',
    );
  });
});

describe('whatever the source', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, 'object'],
  ])('%j is no source', (value, got) => {
    const error = errorOf(value);
    expect(error).toBeInstanceOf(TaskSpecYamlError);
    expect(error.message).toMatch(new RegExp(`the source must be a string of YAML, got ${got}$`));
  });

  it('and whatever the options', () => {
    for (const options of [undefined, null, { filename: '' }, { filename: 5 }])
      expect(safeParseTaskSpec(yaml, options as never).ok).toBe(true);
  });

  const answered = (text: string) => {
    const result = safeParseTaskSpec(text, { filename: 'a.yaml' });
    if (!result.ok) {
      expect(result.error).toBeInstanceOf(TaskSpecError);
      expect(result.error.message).toMatch(/^a\.yaml: [\s\S]*a\.yaml:\d+:\d+ /);
    }
  };

  it('of any text that looks like YAML', () => {
    const piece = fc.constantFrom(
      ...'abk:-?[]{}&*!|>%@"\'#,~<=. \n\t0',
      '- ',
      ': ',
      '\n  ',
      '---\n',
      '...\n',
      '&a ',
      '*a',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join('')),
        answered,
      ),
      { numRuns: 1000 },
    );
  });

  it('of a spec with one piece cut out or put in', () => {
    const cut = fc.nat({ max: yaml.length });
    fc.assert(
      fc.property(cut, fc.nat({ max: 5 }), fc.string({ maxLength: 5 }), (at, length, added) => {
        answered(yaml.slice(0, at) + added + yaml.slice(at + length));
      }),
      { numRuns: 500 },
    );
  });
});
