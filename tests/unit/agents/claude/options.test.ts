import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { type ClaudeMembers, claude, settingsOf, vendorMembers } from '../../../../src/agents/claude';
import { pricesOf } from '../../../../src/agents/claude/pricing';
import { costOf } from '../../../../src/agents/model/budget';
import { TOOLS } from '../../../../src/agents/model/calls';
import { OptionsError } from '../../../../src/options';

describe('claude()', () => {
  it('has defaults', () => {
    expect(claude()).toMatchObject({ name: 'claude', model: 'claude-opus-5-5' });
  });

  it.each<[unknown, RegExp]>([
    [
      { modle: 'x' },
      /^claude\(\): modle: unknown option. Known options: model, client, apiKey, .*Did you mean model\?$/,
    ],
    [{ effort: 'huge' }, /effort: /],
    [{ maxRetries: -1 }, /maxRetries: /],
    [{ baseURL: 'nowhere' }, /baseURL: /],
    [{ baseURL: 'http://me:word@gateway.test/v1' }, /baseURL: must not have a user name in it/],
    [{ tools: 'shell' }, /tools: /],
    [{ pricing: { input: 1 } }, /pricing\.output: /],
    [
      { pricing: { input: 1, output: 2, cache: 1 } },
      /pricing\.cache: unknown option. Known options: input, output, cacheRead, cacheWrite/,
    ],
    [{ members: { fly: true } }, /members\.fly: unknown option. Known options: navigate, /],
    [{ members: { fileUpload: true } }, /members\.fileUpload: must be a list of folders, or false/],
    [{ members: { left_click: false } }, /members\.left_click: .* Did you mean leftClick\?/],
    ['claude-opus-5-5', /^claude\(\): options: /],
    [{ client: {} }, /client: must be a client of the vendor's SDK, such as new Anthropic\(\)/],
    [{ client: new Anthropic({ apiKey: 'k' }), apiKey: 'k' }, /apiKey: set it on the client instead/],
    [
      { client: new Anthropic({ apiKey: 'k' }), baseURL: 'http://a.test' },
      /baseURL: set it on the client instead/,
    ],
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
    const names = /Known options: ([\w, ]+)/.exec((error as Error).message)![1]!.split(', ');
    return Object.fromEntries(names.map(name => [name, true]));
  }
  throw new Error('an unknown member was accepted');
}

describe('preflight', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'taskproof-profiles-'));
    for (const name of Object.keys(process.env).filter(name => name.startsWith('ANTHROPIC_')))
      vi.stubEnv(name, undefined);
    vi.stubEnv('ANTHROPIC_CONFIG_DIR', home);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });

  const profile = (name: string) => {
    mkdirSync(join(home, 'configs'), { recursive: true });
    const config = { authentication: { type: 'user_oauth', credentials_path: join(home, 'token.json') } };
    writeFileSync(join(home, 'configs', `${name}.json`), JSON.stringify(config));
  };

  it('names the variable where there is no key', async () => {
    await expect(claude().preflight!()).rejects.toThrow(
      'Set the environment variable ANTHROPIC_API_KEY, or claude({ apiKey })',
    );
    await expect(claude({ apiKey: '' }).preflight!()).rejects.toThrow('ANTHROPIC_API_KEY');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-team: web');
    await expect(claude().preflight!()).rejects.toThrow('ANTHROPIC_API_KEY');
  });

  it.each<[string, Record<string, string>]>([
    ['a key', { ANTHROPIC_API_KEY: 'something' }],
    ['a token', { ANTHROPIC_AUTH_TOKEN: 'something' }],
    ['headers', { ANTHROPIC_CUSTOM_HEADERS: 'x-team: web\nAuthorization: Bearer something' }],
    [
      'a federation rule',
      {
        ANTHROPIC_FEDERATION_RULE_ID: 'rule',
        ANTHROPIC_ORGANIZATION_ID: 'org',
        ANTHROPIC_IDENTITY_TOKEN: 'jwt',
      },
    ],
  ])('is content with %s in the environment', async (_, variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    await claude().preflight!();
  });

  it('is content with a profile, and says which one is missing', async () => {
    profile('default');
    await claude().preflight!();
    vi.stubEnv('ANTHROPIC_PROFILE', 'work');
    await expect(claude().preflight!()).rejects.toThrow(/^claude: .*"?work"?/);
    profile('work');
    await claude().preflight!();
  });

  it('is content with a key or a client of its own', async () => {
    await claude({ apiKey: 'k' }).preflight!();
    await claude({ client: new Anthropic({ apiKey: 'k' }) }).preflight!();
  });
});

describe('prices', () => {
  it.each([
    ['claude-opus-5-5', 4],
    ['claude-opus-4-5-20251101', 5],
    ['claude-sonnet-4-6@20260101', 3],
    ['claude-haiku-4-5-latest', 1],
    ['claude-fable-5-2', 8],
    ['global.anthropic.claude-opus-4-6-v1', 5],
    ['arn:aws:bedrock:us-east-1:123:inference-profile/global.anthropic.claude-opus-4-5-20251101-v1:0', 5],
    ['anthropic/claude-opus-5-5', 4],
    // Where the data stays in a region, a tenth more.
    ['anthropic.claude-opus-4-5-20251101-v1:0', 5.5],
    ['us.anthropic.claude-opus-4-6-v1:0:200k', 5.5],
    ['bedrock/eu.anthropic.claude-opus-4-6-v1', 5.5],
    ['arn:aws:bedrock:us-east-1:123:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0', 5.5],
  ])('knows %s', (model, input) => {
    expect(pricesOf({ model })?.input).toBeCloseTo(input, 12);
  });

  it('knows a regional client', () => {
    const client = Object.assign(new Anthropic({ apiKey: 'k' }), { region: 'europe-west1' });
    const model = 'claude-haiku-5-5@20260801';
    const usage = { inputTokens: 100_001 };
    const world = costOf(pricesOf({ model, client: Object.assign(client, { region: 'global' }) })!, usage);
    expect(world).toBeCloseTo(0.0500005, 12);
    client.region = 'europe-west1';
    expect(costOf(pricesOf({ model, client })!, usage)).toBeCloseTo(world * 1.1, 12);
  });

  it.each([
    'claude-opus-5-7',
    'claude-opus-6',
    'claude-fable-6',
    'my-model',
    'toString',
    'my-claude-opus-5-5',
    'arn:aws:bedrock:us-east-1:123:application-inference-profile/abc',
  ])('does not guess %s', model => {
    expect(pricesOf({ model })).toBeUndefined();
  });

  it('prices each kind of token, and long prompts by themselves', () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 100,
      cacheReadTokens: 10_000,
      cacheCreationTokens: 2000,
    };
    expect(costOf(pricesOf({ model: 'claude-opus-5-5' })!, usage)).toBeCloseTo(
      (4000 + 2000 + 2000 + 10_000) / 1e6,
      12,
    );
    const haiku = pricesOf({ model: 'claude-haiku-5-5' })!;
    expect(costOf(haiku, { inputTokens: 100_000 })).toBeCloseTo(0.01, 12);
    expect(costOf(haiku, { inputTokens: 1, cacheReadTokens: 100_000 })).toBeCloseTo(0.0050005, 12);
    // What is written to the cache makes a prompt long, too, and costs the long prompt's price.
    expect(costOf(haiku, { cacheCreationTokens: 100_000 })).toBeCloseTo(0.0125, 12);
    expect(costOf(haiku, { inputTokens: 1, cacheCreationTokens: 100_000 })).toBeCloseTo(0.0625005, 12);
  });

  it('follows what the user gives, the cache by rule', () => {
    expect(pricesOf({ model: 'claude-opus-5-5', pricing: { input: 10, output: 50 } })).toEqual({
      input: 10,
      output: 50,
      cacheRead: 1,
      cacheWrite: 12.5,
    });
  });
});
