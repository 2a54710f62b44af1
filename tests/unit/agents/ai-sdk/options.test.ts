import { createOpenAI, openai } from '@ai-sdk/openai';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { aiSdk } from '../../../../src/agents/ai-sdk';
import { usageWithCost } from '../../../../src/agents/ai-sdk/client';
import { loadingProblem } from '../../../../src/agents/ai-sdk/load';
import { toolsFor } from '../../../../src/agents/ai-sdk/loop';
import { OptionsError } from '../../../../src/options';

const model = createOpenAI({ apiKey: 'x' })('gpt-test');

describe('aiSdk()', () => {
  it.each([
    [model, 'gpt-test'],
    ['openai/gpt-test', 'openai/gpt-test'],
  ])('has the name of its model', (given, name) => {
    expect(aiSdk({ model: given })).toMatchObject({ name: 'aiSdk', model: name });
  });

  it.each<[unknown, RegExp]>([
    [{}, /^aiSdk\(\): model: must be a model of the AI SDK, openai\('gpt-5\.5'\)/],
    [{ model: openai }, /model: must be a model/],
    [{ model: Promise.resolve(model) }, /model: must be a model/],
    [
      { model, pricng: {} },
      /pricng: unknown option. Known options: model, pricing, .* Did you mean pricing\?/,
    ],
    [{ model, pricing: { input: 1, output: -1 } }, /pricing\.output: /],
    [{ model, pricing: { input: 1, output: 2, cache: 1 } }, /pricing\.cache: unknown option/],
    [{ model, pictures: 'yes' }, /pictures: /],
    [{ model, maxRetries: -1 }, /maxRetries: /],
    [{ model, requestTimeoutMs: 0 }, /requestTimeoutMs: /],
    [{ model, providerOptions: { openai: 'low' } }, /providerOptions\.openai: /],
  ])('refuses %j', (options, message) => {
    expect(() => aiSdk(options as never)).toThrow(OptionsError);
    expect(() => aiSdk(options as never)).toThrow(message);
  });
});

test.each([
  [
    { code: 'ERR_MODULE_NOT_FOUND', message: "Cannot find package 'ai' imported from /suite/index.js" },
    /^the npm package "ai" is not installed\. Add it: npm install --save-dev ai$/,
  ],
  [
    { code: 'ERR_MODULE_NOT_FOUND', message: "Cannot find package 'zod' imported from /ai/index.js" },
    /can't be loaded by Node .*Cannot find package 'zod'/,
  ],
  [
    { message: 'Promise.withResolvers is not a function\n  more' },
    /^the npm package "ai" can't be loaded by Node \d+\.\d+\.\d+ \(Promise\.withResolvers is not a function\)\. ai 7 requires Node 22 or newer: .*ai@6$/,
  ],
])('a package that can not be loaded: %j', (error, words) => {
  expect(loadingProblem(error)).toMatch(words);
});

const PRICES = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const tokens = (...[inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens]: number[]) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheCreationTokens,
});

test.each([
  ['nothing cached', { inputTokens: 1000, outputTokens: 100 }, tokens(1000, 100, 0, 0), 0.003],
  [
    'some read and some written',
    {
      inputTokens: 1000,
      outputTokens: 100,
      inputTokenDetails: { cacheReadTokens: 600, cacheWriteTokens: 300 },
    },
    tokens(100, 100, 600, 300),
    0.00207,
  ],
  [
    'more cached than there is',
    { inputTokens: 10, outputTokens: 0, inputTokenDetails: { cacheReadTokens: 20 } },
    tokens(0, 0, 20, 0),
    0.000004,
  ],
  ['nothing counted', { inputTokens: undefined, outputTokens: undefined }, tokens(0, 0, 0, 0), null],
  ['zeros', { inputTokens: 0, outputTokens: 0 }, tokens(0, 0, 0, 0), null],
  ['no possible number', { inputTokens: 1e308, outputTokens: 5 }, tokens(0, 5, 0, 0), null],
  ['no number', { inputTokens: Number.NaN, outputTokens: Number.NaN }, tokens(0, 0, 0, 0), null],
])('the count of a request: %s', (_, counted, expected, costUsd) => {
  const { costUsd: cost, ...rest } = usageWithCost(counted, PRICES);
  expect(rest).toEqual(expected);
  if (costUsd === null) expect(cost).toBeNull();
  else expect(cost).toBeCloseTo(costUsd, 10);
  expect(usageWithCost(counted, undefined).costUsd).toBeNull();
});

// What Google, Mistral and small models on their own servers take in a schema is less than JSON Schema.
test.each([true, false])(
  'each tool has a flat object of plain fields as its input (pictures: %s)',
  pictures => {
    const task = { pageToolsMode: 'auto', wantsAnswer: false } as const;
    for (const { name, input, description } of toolsFor(task, pictures, false)) {
      const schema = z.toJSONSchema(input, { io: 'input' }) as { type: string; properties: object };
      expect(description, name).toMatch(/\.$/);
      expect(schema.type, name).toBe('object');
      expect(JSON.stringify(schema.properties), name).not.toMatch(
        /anyOf.*anyOf|oneOf|allOf|\$ref|"object"|prefixItems/,
      );
    }
  },
);
