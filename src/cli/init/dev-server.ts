// How the site under test is started, as far as package.json tells.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of package.json that are looked at. */
export interface PackageJson {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export interface DevServer {
  /** `npm run dev` */
  command: string;
  /** Where it listens: as its script says, else the framework's default. Null where neither is known. */
  url: string | null;
}

const SCRIPTS = ['dev', 'start', 'serve', 'preview'];

/** Default ports; frameworks before the bundlers that they are built on. */
const PORTS: readonly [string, number][] = [
  ['next', 3000],
  ['nuxt', 3000],
  ['astro', 4321],
  ['@angular/cli', 4200],
  ['react-scripts', 3000],
  ['gatsby', 8000],
  ['@11ty/eleventy', 8080],
  ['@vue/cli-service', 8080],
  ['@remix-run/dev', 3000],
  ['vite', 5173],
];

export function findDevServer(folder: string, manifest: PackageJson): DevServer | null {
  const script = SCRIPTS.find(name => manifest.scripts?.[name]);
  if (!script) return null;
  const port = portIn(manifest.scripts![script]!) ?? defaultPort(manifest);
  const runner = packageManagerOf(folder);
  return {
    command: runner === 'yarn' ? `yarn ${script}` : `${runner} run ${script}`,
    url: port === undefined ? null : `http://localhost:${port}`,
  };
}

/** By lockfile; npm where there is none. */
export function packageManagerOf(folder: string): string {
  const has = (name: string) => existsSync(join(folder, name));
  if (has('pnpm-lock.yaml')) return 'pnpm';
  if (has('yarn.lock')) return 'yarn';
  return has('bun.lock') || has('bun.lockb') ? 'bun' : 'npm';
}

function portIn(script: string): number | undefined {
  const found = /(?:--port[= ]|(?:^|\s)-p[= ]?|\bPORT=)(\d{2,5})\b/.exec(script)?.[1];
  return found === undefined ? undefined : Number(found);
}

function defaultPort({ dependencies, devDependencies }: PackageJson): number | undefined {
  const installed = { ...dependencies, ...devDependencies };
  return PORTS.find(([name]) => name in installed)?.[1];
}
