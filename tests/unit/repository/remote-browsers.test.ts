// The examples of docs/remote-browsers: what would make them fail where they are applied.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../../..');
const { version } = JSON.parse(
  readFileSync(join(root, 'node_modules/@playwright/test/package.json'), 'utf8'),
) as { version: string };
const text = (name: string) => readFileSync(join(root, 'docs/remote-browsers', name), 'utf8');

const compose = parse(text('compose.yaml'), { merge: true }).services as Record<
  string,
  {
    image: string;
    command: string;
    depends_on?: Record<string, { condition: string }>;
    environment?: Record<string, string>;
    healthcheck?: object;
    ports?: unknown;
  }
>;

// biome-ignore lint/suspicious/noExplicitAny: four kinds of manifests, of which a few fields are read
const manifests = parseAllDocuments(text('kubernetes.yaml')).map(document => document.toJS() as any);
const kind = (name: string) => manifests.find(manifest => manifest.kind === name);
const pod = (name: string) => kind(name).spec.template;
const containerOf = (name: string) => pod(name).spec.containers[0];

test.each(['compose.yaml', 'kubernetes.yaml'])("%s has the installed Playwright's image and server", name => {
  expect([...text(name).matchAll(/playwright[:@]v?([\d.]+)/g)].map(([, found]) => found)).toEqual([
    version,
    version,
  ]);
  expect(text(name)).toContain(`mcr.microsoft.com/playwright:v${version}-noble`);
});

test('compose: each shard has a browser of its own, and waits for it', () => {
  const shards = Object.entries(compose).filter(([name]) => name.startsWith('shard-'));
  expect(shards).toHaveLength(2);
  for (const [name, { command, depends_on, environment = {} }] of shards) {
    const number = name.slice(-1);
    const browser = `browser-${number}`;
    expect(command).toContain(`--shard=${number}/${shards.length} `);
    expect(command, 'a lost spec is judged by the last service').toMatch(/\|\| true"$/);
    expect(depends_on).toEqual({ [browser]: { condition: 'service_healthy' } });
    const { hostname, port } = new URL(environment.PW_TEST_CONNECT_WS_ENDPOINT!);
    expect(hostname).toBe(browser);
    expect(compose[browser]!.command).toContain(` --port ${port}`);
    expect(environment.PLAYWRIGHT_BLOB_OUTPUT_FILE).toBe(`blobs/${number}.zip`);
  }
});

test('compose: browsers get no key, no port on the host, and the verdicts come last', () => {
  for (const name of ['browser-1', 'browser-2']) {
    expect(compose[name]!.environment ?? compose[name]!.ports).toBeUndefined();
    expect(compose[name]!.healthcheck).toBeDefined();
  }
  expect(compose.verdicts!.command).toMatch(/merge-reports .* blobs$/);
  expect(Object.keys(compose.verdicts!.depends_on!)).toEqual(['shard-1', 'shard-2']);
});

test('kubernetes: service, policy and shards name the pods and the port of the browsers', () => {
  const labels = pod('Deployment').metadata.labels;
  const [port] = containerOf('Deployment').ports;
  expect(kind('Deployment').spec.selector.matchLabels).toEqual(labels);
  expect(containerOf('Deployment').command.at(-1)).toBe(String(port.containerPort));
  expect(kind('Service').spec).toMatchObject({ selector: labels, ports: [{ targetPort: port.name }] });
  const policy = kind('NetworkPolicy').spec;
  expect(policy.podSelector.matchLabels).toEqual(labels);
  expect(policy.ingress).toEqual([
    {
      from: [{ podSelector: { matchLabels: pod('Job').metadata.labels } }],
      ports: [{ protocol: 'TCP', port: port.containerPort }],
    },
  ]);
  const endpoint = containerOf('Job').env.find(({ name }: { name: string }) => name.startsWith('PW_')).value;
  expect(endpoint).toBe(`ws://${kind('Service').metadata.name}:${kind('Service').spec.ports[0].port}/`);
});

test('kubernetes: browsers get no key', () => {
  expect(JSON.stringify(kind('Deployment'))).not.toContain('secret');
  expect(JSON.stringify(kind('Job'))).toContain('secretKeyRef');
});
