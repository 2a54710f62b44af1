import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { claude } from '../../../src/agents/claude';
import { type ClaudeMembers, settingsOf, vendorMembers } from '../../../src/agents/claude/options';
import { pricesOf } from '../../../src/agents/claude/pricing';
import { costOf } from '../../../src/agents/model/budget';
import { TOOLS } from '../../../src/agents/tools';
import { OptionsError } from '../../../src/options';

describe('claude()', () => {
  it('has defaults', () => {
    expect(claude()).toMatchObject({ name: 'claude', model: 'claude-opus-5-5' });
  });

  it.each<[unknown, RegExp]>([
    [{ modle: 'x' }, /^claude\(\): modle: unknown option; known are model, apiKey, .*Did you mean model\?$/],
    [{ model: '' }, /model: /],
    [{ effort: 'huge' }, /effort: /],
    [{ maxTokens: 10 }, /maxTokens: /],
    [{ maxRetries: -1 }, /maxRetries: /],
    [{ baseURL: 'nowhere' }, /baseURL: /],
    [{ tools: 'shell' }, /tools: /],
    [{ pricing: { input: 1 } }, /pricing\.output: /],
    [
      { pricing: { input: 1, output: 2, cache: 1 } },
      /pricing\.cache: unknown option; known are input, output, cacheRead, cacheWrite/,
    ],
    [{ members: { fly: true } }, /members\.fly: unknown option; known are navigate, /],
    [{ members: { zoom: 'no' } }, /members\.zoom: /],
    [{ members: { fileUpload: true } }, /members\.fileUpload: must be a list of folders, or false/],
    [{ members: { fileUpload: [] } }, /members\.fileUpload/],
    [{ members: { left_click: false } }, /members\.left_click: .* Did you mean leftClick\?/],
    ['claude-opus-5-5', /^claude\(\): options: /],
  ])('refuses %j', (options, message) => {
    expect(() => claude(options as never)).toThrow(OptionsError);
    expect(() => claude(options as never)).toThrow(message);
  });

  it('names all that is wrong at once', () => {
    expect(() => claude({ modle: 1, effort: 'huge' } as never)).toThrow(/effort: [\s\S]*modle/);
  });
});

test.each<[ClaudeMembers, object]>([
  [
    { leftClickDrag: false, javascriptExec: true },
    { left_click_drag: false, javascript_exec: true },
  ],
  [{ fileUpload: ['files', '/all'] }, { file_upload: [resolve('/suite/files'), resolve('/all')] }],
  [{ fileUpload: false }, { file_upload: false }],
  // Left undefined, as by a condition in a config, is not switched on.
  [{ javascriptExec: undefined }, {}],
])("members %j are the vendor's %j, folders relative to the config", (members, vendor) => {
  expect(vendorMembers(settingsOf({ members }).members, '/suite')).toEqual(vendor);
});

test('every member has a name that the vendor knows', () => {
  const members = vendorMembers(allMembers(), '/suite');
  expect(Object.keys(members).sort()).toEqual(Object.keys(TOOLS).sort());
});

/** Read from the message that names them. */
function allMembers(): ClaudeMembers {
  try {
    claude({ members: { '?': true } as never });
  } catch (error) {
    const names = /known are ([\w, ]+)/.exec((error as Error).message)![1]!.split(', ');
    return Object.fromEntries(names.map(name => [name, true]));
  }
  throw new Error('an unknown member was accepted');
}

describe('preflight', () => {
  beforeEach(() => {
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', '');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('names the variable where there is no key', () => {
    expect(() => claude().preflight!()).toThrow(
      'Set the environment variable ANTHROPIC_API_KEY, or give one: claude({ apiKey })',
    );
    expect(() => claude({ apiKey: '' }).preflight!()).toThrow('ANTHROPIC_API_KEY');
  });

  it.each(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])('is content with %s', name => {
    vi.stubEnv(name, 'something');
    expect(() => claude().preflight!()).not.toThrow();
  });

  it('is content with a key of its own', () => {
    expect(() => claude({ apiKey: 'k' }).preflight!()).not.toThrow();
  });
});

describe('prices', () => {
  it.each([
    ['claude-opus-5-5', 4],
    ['claude-opus-5', 5],
    ['claude-opus-4-5-20251101', 5],
    ['claude-sonnet-4-6@20260101', 3],
    ['claude-haiku-4-5-latest', 1],
    ['claude-fable-5-2', 8],
  ])('knows %s', (model, input) => {
    expect(pricesOf(model)?.input).toBe(input);
  });

  it.each(['claude-opus-5-7', 'claude-opus-6', 'claude-fable-6', 'my-model', 'toString'])(
    'does not guess %s',
    model => {
      expect(pricesOf(model)).toBeUndefined();
    },
  );

  it('prices each kind of token, and long prompts by themselves', () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 100,
      cacheReadTokens: 10_000,
      cacheCreationTokens: 2000,
    };
    expect(costOf(pricesOf('claude-opus-5-5')!, usage)).toBeCloseTo((4000 + 2000 + 2000 + 10_000) / 1e6, 12);
    const haiku = pricesOf('claude-haiku-5-5')!;
    expect(costOf(haiku, { inputTokens: 100_000 })).toBeCloseTo(0.01, 12);
    expect(costOf(haiku, { inputTokens: 1, cacheReadTokens: 100_000 })).toBeCloseTo(0.0050005, 12);
    // What is written to the cache makes a prompt long, too, and costs the long prompt's price.
    expect(costOf(haiku, { cacheCreationTokens: 100_000 })).toBeCloseTo(0.0125, 12);
    expect(costOf(haiku, { inputTokens: 1, cacheCreationTokens: 100_000 })).toBeCloseTo(0.0625005, 12);
  });

  it('follows what the user gives, the cache by rule', () => {
    expect(pricesOf('claude-opus-5-5', { input: 10, output: 50 })).toEqual({
      input: 10,
      output: 50,
      cacheRead: 1,
      cacheWrite: 12.5,
    });
  });
});
