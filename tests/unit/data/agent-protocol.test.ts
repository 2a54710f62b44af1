import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Line as ExampleLine, Task as ExampleTask } from '../../../agent-programs/cdp/protocol';
import {
  lineSchema,
  parseLine,
  protocolJsonSchema,
  type TaskMessage,
} from '../../../src/data/agent-protocol';
import { codeBlocks } from '../../support/markdown';
import { suite } from '../cli/suite';

describe('a line', () => {
  test.each([
    '{"type":"turn","title":"click \\"Go\\""}',
    '{"type":"narration","text":""}',
    '{"type":"action","title":"click","error":"it moved","point":{"x":1,"y":2.5},"detail":{"selector":"#go"}}',
    '{"type":"record","do":"click","locator":"getByText(\'Go\')","clickCount":2}',
    '{"type":"record","do":"goto","url":"/cart"}',
    '{"type":"read_only"}',
    '{"type":"dialog","accept":true,"text":"3"}',
    '{"type":"usage","totalCostUsd":0.25}',
    '{"type":"usage","inputTokens":1,"outputTokens":2,"cacheReadTokens":3,"cacheCreationTokens":4,"costUsd":null}',
    '{"type":"activate","targetId":"ABC"}',
    '{"type":"dialogs","answeredBy":"program"}',
    '{"type":"turn_end"}',
    '{"type":"waiting","for":"limit"}',
    '{"type":"waiting_end"}',
    '{"type":"end","status":"completed","answer":{"from":11}}',
    '{"type":"end","status":"gave_up","reason":"no such button"}',
    '{"type":"end","status":"error","reason":"429","errorKind":"agent_api"}',
  ])('%s is read as it is', line => expect(parseLine(line)).toEqual(JSON.parse(line)));

  test('an end without a status is a completed one', () => {
    expect(parseLine('{"type":"end"}')).toEqual({ type: 'end', status: 'completed' });
  });

  test('an answer is any value of JSON', () => {
    for (const answer of ['11', 11, false, [1], { from: 11 }])
      expect(parseLine(JSON.stringify({ type: 'end', answer }))).toMatchObject({ answer });
  });

  test.each([
    ['Loading model...', /it wrote "Loading model\.\.\.", which is not JSON: .*print logs to standard error/],
    ['{"type":"turn"', /which is not JSON/],
    ['null', /it wrote null, which is not a line of the protocol/],
    [
      '{"type":"click"}',
      /it wrote \{"type":"click"\}, .*: type: Invalid discriminator value. Expected .turn./,
    ],
    ['{"type":"turn","title":""}', /title: Too small/],
    ['{"type":"narration","text":"x","mood":"good"}', /Unrecognized key: "mood"/],
    ['{"type":"usage","inputTokens":-1}', /inputTokens: Too small/],
    ['{"type":"usage","totalCostUsd":-1}', /totalCostUsd: Too small/],
    ['{"type":"usage","totalCostUsd":null}', /totalCostUsd: Invalid input/],
    ['{"type":"action","title":"x","point":{"x":1}}', /point\.y: Invalid input/],
    ['{"type":"record","do":"click"}', /locator: Invalid input/],
    ['{"type":"record","do":"click","locator":"x","force":true}', /Unrecognized key: "force"/],
    ['{"type":"end","status":"done"}', /status: Invalid option/],
  ])('%s is refused', (line, message) => expect(() => parseLine(line)).toThrow(message));

  test('a long one is quoted in part', () => {
    expect(() => parseLine('x'.repeat(100_000))).toThrow(/^.{0,400}$/);
    expect(() => parseLine(JSON.stringify({ ['x'.repeat(100_000)]: 1 }))).toThrow(/^.{0,600}$/);
  });

  test('secrets are taken out of what errors quote, however JSON writes them, and stay in what is graded', () => {
    const secret = 'a "quoted" pässword';
    const mask = (text: string) => text.replaceAll(secret, '***');
    const escaped = JSON.stringify(secret).replace('ä', '\\u00e4');
    const end = { type: 'end', status: 'completed', answer: secret };
    expect(parseLine(`{"type":"end","answer":${escaped}}`, mask)).toEqual(end);
    const anyWord = (text: string) => text.replaceAll('turn', '***');
    expect(parseLine('{"type":"turn","title":"go"}', anyWord)).toEqual({ type: 'turn', title: 'go' });
    expect(() => parseLine(`{"type":${escaped}}`, mask)).toThrow('it wrote {"type":"***"}');
    expect(() => parseLine(`typing ${secret}`, mask)).toThrow('it wrote "typing ***"');
    expect(() => parseLine('x'.repeat(190) + secret, mask)).not.toThrow('quoted');
  });
});

test('the types of the example agent are those of the protocol', () => {
  // Held by the compiler.
  const read = (task: TaskMessage): ExampleTask => task;
  const written = (line: ExampleLine): z.input<typeof lineSchema> => line;
  expect([read, written]).toHaveLength(2);
});

test('the lines of the documentation are lines of the protocol', () => {
  const lines = codeBlocks('docs/agent-protocol.md')
    .filter(({ language }) => language === 'jsonl')
    .flatMap(({ text }) => text.trim().split('\n'));
  expect(lines.map(line => parseLine(line).type)).toEqual(lines.map(() => 'record'));
  expect(lines.length).toBeGreaterThan(4);
});

interface Definition {
  required: string[];
  properties: Record<string, { const?: string }>;
  additionalProperties?: boolean;
  oneOf?: Definition[];
}

describe('the JSON Schema', () => {
  const schema = protocolJsonSchema() as { $defs: { line: { oneOf: Definition[] } } };

  test('has every type of line, strict, with what may be left out left out', () => {
    const lines = schema.$defs.line.oneOf.flatMap(line => line.oneOf ?? [line]);
    const types = lines.map(({ properties }) => properties.type!.const);
    const declared = lineSchema.options.flatMap((option): string[] =>
      'options' in option ? option.options.map(() => 'record') : [option.shape.type.value],
    );
    expect(types).toEqual(declared);
    expect(lines.filter(({ properties }) => properties.type!.const === 'record').length).toBeGreaterThan(10);
    for (const line of lines) expect(line.additionalProperties).toBe(false);
    const end = lines.find(({ properties }) => properties.type!.const === 'end')!;
    expect(end.required).toEqual(['type']);
  });

  test('is what the command line prints', async () => {
    const { code, out, err } = await suite().taskproof(['schema', '--agent-protocol']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual(schema);
    const both = await suite().taskproof(['schema', '--agent-protocol', '--results']);
    expect(both.code).toBe(1);
    expect(both.err).toContain('cannot be used with');
  });
});
