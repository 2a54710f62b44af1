import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claude } from '../../../src/agents/claude';
import { costOf, pricesOf } from '../../../src/agents/claude/pricing';

describe('claude()', () => {
  it('has defaults', () => {
    expect(claude()).toMatchObject({ name: 'claude', model: 'claude-opus-5-5' });
  });

  it.each<[object, RegExp]>([
    [{ modle: 'x' }, /unknown option "modle"; there are model, apiKey/],
    [{ model: '' }, /model: /],
    [{ effort: 'huge' }, /effort: /],
    [{ maxTokens: 10 }, /maxTokens: /],
    [{ maxRetries: -1 }, /maxRetries: /],
    [{ baseURL: 'nowhere' }, /baseURL: /],
    [{ tools: 'shell' }, /tools: /],
    [{ pricing: { input: 1 } }, /pricing\.output: /],
    [{ pricing: { input: 1, output: 2, cache: 1 } }, /unknown option "pricing\.cache"/],
    [{ members: { fly: true } }, /unknown option "members\.fly"; there are navigate/],
    [{ members: { zoom: 'no' } }, /members\.zoom: /],
    [{ members: { file_upload: true } }, /members\.file_upload: give the absolute folders/],
    [{ members: { file_upload: ['files'] } }, /members\.file_upload/],
  ])('refuses %j', (options, message) => {
    expect(() => claude(options as never)).toThrow(TypeError);
    expect(() => claude(options as never)).toThrow(message);
  });

  it('names all that is wrong at once', () => {
    expect(() => claude({ modle: 1, effort: 'huge' } as never)).toThrow(/effort: [\s\S]*modle/);
  });
});

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
  ])('knows %s', (model, input) => {
    expect(pricesOf(model)?.input).toBe(input);
  });

  it.each(['claude-opus-5-7', 'claude-opus-6', 'claude-fable-5-2', 'my-model', 'toString'])(
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
