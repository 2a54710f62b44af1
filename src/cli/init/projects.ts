// Finds the project of an existing config that ours should copy login and browser from. Reads the config's text.

/** Parts of a project, as the config writes them. */
export interface ModelProject {
  /** Null if only a setup project was found. */
  name: string | null;
  /** `['setup']` */
  dependencies: string | null;
  /** `...devices['Desktop Chrome']`, `storageState: 'auth.json'` */
  use: string[];
}

const LITERAL =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[:(,[=]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/
    .source;
const COMMENT = new RegExp(`(${LITERAL})|/\\*[\\s\\S]*?\\*/|//.*`, 'g');
const TOKEN = new RegExp(`${LITERAL}|[()[\\]{},]`, 'g');

/** Keeps strings, such as globs and URLs, and regular expressions. */
export function withoutComments(text: string): string {
  return text.replace(COMMENT, (_, literal = '') => literal);
}

/** @returns null if no project has its own login or browser. */
export function modelProject(config: string): ModelProject | null {
  const list = /\bprojects\s*:\s*\[/.exec(config);
  if (!list) return null;
  const all = items(config, list.index + list[0].length - 1).filter(item => item.startsWith('{'));
  const projects = all.map(propertiesOf);
  const isSetup = (project: Properties) => /setup|teardown/.test(project.get('testMatch') ?? '');
  const setups = projects.filter(project => /setup/.test(project.get('testMatch') ?? ''));
  const ranked = projects
    .filter(project => !isSetup(project) && rank(project) > 0)
    .sort((a, b) => rank(b) - rank(a));
  const model = ranked[0];
  const names = setups.flatMap(project => project.get('name') ?? []);
  const dependencies = model?.get('dependencies') ?? (names.length ? `[${names.join(', ')}]` : null);
  if (!model && !dependencies) return null;
  return {
    name: model?.get('name')?.slice(1, -1) ?? null,
    dependencies,
    use: useOf(model).filter(entry => !entry.startsWith('taskproof')),
  };
}

/** The options that ours needs, the most important first. */
export const NEEDED = /^(storageState|launchOptions|connectOptions|channel|browserName)\b/;

function rank(project: Properties): number {
  const use = useOf(project);
  if (project.has('dependencies')) return 3;
  if (use.some(entry => entry.startsWith('storageState'))) return 2;
  return use.some(entry => NEEDED.test(entry)) ? 1 : 0;
}

type Properties = ReadonlyMap<string, string>;

function propertiesOf(project: string): Properties {
  const named = items(project, 0).map(item => /^['"]?(\w+)['"]?\s*:\s*([\s\S]*)$/.exec(item));
  return new Map(named.flatMap(found => (found ? [[found[1]!, found[2]!]] : [])));
}

function useOf(project: Properties | undefined): string[] {
  const use = project?.get('use');
  if (use === undefined) return [];
  return use.startsWith('{') ? items(use, 0) : [`...${use}`];
}

/** The items of the list or object that begins at `open`, each in one line. */
function items(text: string, open: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (const { 0: token, index } of text.slice(open).matchAll(TOKEN)) {
    if (/^[([{]$/.test(token)) depth++;
    else if (/^[)\]}]$/.test(token)) depth--;
    if (depth > 1 || (depth === 1 && token !== ',')) continue;
    found.push(text.slice(from, open + index).trim());
    from = open + index + 1;
    if (depth === 0) break;
  }
  return found.filter(Boolean).map(item => item.replace(/\s*\n\s*/g, ' '));
}
