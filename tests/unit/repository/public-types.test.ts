// What a user can import: each type that an exported declaration mentions, and each error that its docstring names.
import { resolve } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';

const ENTRIES = ['src/index.ts', 'src/reporter.ts', 'src/spec/index.ts'];

let checker: ts.TypeChecker;
let exported: ts.Symbol[];

beforeAll(() => {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  // Only what is asked about is loaded: the types of the DOM, of Node and of the SDKs are ten times as much.
  const loaded = { ...options, noEmit: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(loaded);
  host.resolveModuleNames = (names, file) =>
    names.map(name =>
      /^\.|^zod|playwright/.test(name)
        ? ts.resolveModuleName(name, file, loaded, host).resolvedModule
        : undefined,
    );
  const program = ts.createProgram(ENTRIES, loaded, host);
  checker = program.getTypeChecker();
  exported = ENTRIES.flatMap(entry => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
    return checker.getExportsOfModule(module).map(actual);
  });
}, 120_000);

function actual(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(resolve('src'));

function ourDeclarations(): ts.Declaration[] {
  return exported.flatMap(symbol => symbol.declarations ?? []).filter(isOurs);
}

/** Visits what a declaration file would show of a declaration: no bodies, no initialisers, no private members. */
function visitShown(node: ts.Node, visit: (node: ts.Node) => void): void {
  if (ts.isBlock(node)) return;
  if (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(one => one.kind === ts.SyntaxKind.PrivateKeyword)
  )
    return;
  visit(node);
  const initializer = (node as { initializer?: ts.Node }).initializer;
  ts.forEachChild(node, child => {
    if (child !== initializer) visitShown(child, visit);
  });
}

/** What a type names: `Verdict`, `z.ZodType`, `import('zod').ZodType`; of `typeof schema` what the schema is. */
function namedIn(node: ts.Node): ts.Symbol | undefined {
  const at = (name: ts.Node | undefined) => name && checker.getSymbolAtLocation(name);
  if (ts.isTypeReferenceNode(node)) return at(node.typeName);
  if (ts.isExpressionWithTypeArguments(node)) return at(node.expression);
  if (ts.isTypeQueryNode(node)) return checker.getTypeAtLocation(node).symbol;
  return ts.isImportTypeNode(node) ? at(node.qualifier) : undefined;
}

/** The declarations of the types that a declaration mentions. */
function mentioned(declaration: ts.Declaration): { name: string; declarations: ts.Declaration[] }[] {
  const found: { name: string; declarations: ts.Declaration[] }[] = [];
  visitShown(declaration, node => {
    const symbol = namedIn(node);
    if (symbol && !(symbol.flags & ts.SymbolFlags.TypeParameter))
      found.push({ name: symbol.name, declarations: actual(symbol).declarations ?? [] });
  });
  return found;
}

test('each type that an exported declaration mentions is exported', () => {
  const missing = ourDeclarations().flatMap(declaration =>
    mentioned(declaration)
      // Playwright's own types, which ours are added to, have declarations there, too.
      .filter(({ declarations }) => declarations.length > 0 && declarations.every(isOurs))
      .filter(({ declarations }) => !exported.some(symbol => symbol.declarations?.includes(declarations[0]!)))
      .map(({ name }) => name),
  );
  expect([...new Set(missing)]).toEqual([]);
  expect(ourDeclarations().length).toBeGreaterThan(50);
});

/** Whether the compiler has to find out a type, which then shows what its value is made of. */
function isInferred(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isGetAccessor(node))
    return !node.type;
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyDeclaration(node) && !ts.isParameter(node))
    return false;
  return !node.type && !(node.initializer && ts.isLiteralExpression(node.initializer));
}

test('an exported declaration says its types', () => {
  const inferred: string[] = [];
  for (const declaration of ourDeclarations())
    visitShown(declaration, node => {
      if (isInferred(node)) inferred.push(node.getText().slice(0, 80));
    });
  expect(inferred).toEqual([]);
  expect(exported.map(({ name }) => name)).toContain('test');
});

test('each error that an exported docstring names can be imported', () => {
  const importable = new Set(exported.map(({ name }) => name));
  const named = new Set<string>();
  for (const declaration of ourDeclarations())
    visitShown(declaration, node => {
      for (const doc of ts.getJSDocCommentsAndTags(node))
        for (const [name] of doc.getText().matchAll(/\b[A-Z]\w*Error\b/g)) named.add(name);
    });
  const missing = [...named].filter(name => !importable.has(name) && !(name in globalThis));
  expect(missing).toEqual([]);
  expect(named).toContain('OptionsError');
});
