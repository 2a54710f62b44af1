// Loaded first in the processes of suites (NODE_OPTIONS). It caches what V8 has compiled of Playwright and of this package,
// which otherwise hundreds of processes would each compile again. Node 22 has this built in (NODE_COMPILE_CACHE). It also
// turns off Playwright's hooks for ES modules if a suite has none: before Node 22.15, they are a thread in each process, and
// a tenth of its start.
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const vm = require('node:vm');

/** Bytes. Below them, reading what was kept costs as much as compiling. */
const LARGE = 1_000;
const CACHED = /node_modules.*playwright/;
/** A runner and a worker run different parts of the same files. */
const KIND = basename(process.argv[1] ?? '');
/** In a script that is compiled here, code that such a file evals has no importer. */
const EVALS_IMPORT = 'eval(`import(';
/** Nor has an `import()` of its own. Playwright's are not run, and Zod's is a comment. */
const NOT_RUN = /playwright(-core)?.lib|dependencies.zod/;
/** @type {(() => void)[]} */
const endings = [];
process.once('exit', () => {
  for (const end of endings) end();
});
const folder = process.env.TASKPROOF_TEST_CACHE ?? '';
const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
/** @type {{ _extensions: Record<'.js', (module: NodeJS.Module, filename: string) => void> }} */
const { _extensions: extensions } = Object(Module);
const load = extensions['.js'];

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Writes a file at once, since other processes must not read half of it.
 *
 * @param {string} file
 * @param {string | Buffer} content
 */
function keep(file, content) {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, content);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next process tries again.
  }
}

/**
 * A file's function in ASCII, which is parsed in half the time; undefined for a file that is loaded in the usual way.
 *
 * @param {string} filename
 * @param {string} kept
 */
function sourceOf(filename, kept) {
  const found = read(kept);
  if (found) return found.toString('latin1');
  const content = readFileSync(filename, 'utf8');
  const escaped = content.replace(
    /[\u0080-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const imports = content.includes(EVALS_IMPORT) || (content.includes('import(') && !NOT_RUN.test(filename));
  const source = imports ? '' : Module.wrap(escaped);
  keep(kept, source);
  return source;
}

if (folder && importModuleDynamically)
  extensions['.js'] = (module, filename) => {
    const size = CACHED.test(filename) ? statSync(filename).size : 0;
    if (size < LARGE) return load(module, filename);
    const kept = join(folder, `${filename.replace(/[^\w.]+/g, '_')}-${size}`);
    const source = sourceOf(filename, `${kept}.js`);
    if (!source) return load(module, filename);
    const compiled = `${kept}-${KIND}`;
    const cachedData = read(compiled);
    const script = new vm.Script(source, { filename, cachedData, importModuleDynamically });
    const require = Object.assign(
      (/** @type {string} */ id) => module.require(id),
      Module.createRequire(filename),
    );
    script
      .runInThisContext()
      .call(module.exports, module.exports, require, module, filename, dirname(filename));
    if (!cachedData || script.cachedDataRejected)
      endings.push(() => keep(compiled, script.createCachedData()));
  };

if (process.env.TASKPROOF_TEST_COMMONJS && !('registerHooks' in Module)) {
  const none = { sourceMaps: [], memoryCache: [], fileDependencies: [] };
  /** @type {{ register(url: unknown, options: { data: { port: import('node:worker_threads').MessagePort } }): void }} */
  const loader = Object(Module);
  const { register } = loader;
  loader.register = (url, options) => {
    if (!String(url).endsWith('/playwright/lib/transform/esmLoader.js')) return register(url, options);
    const { port } = options.data;
    port.on('message', ({ id, method }) => {
      const result = method === 'getCompilationCache' ? { cache: none } : undefined;
      if (id) port.postMessage({ ackId: id, result });
    });
    port.unref();
  };
}
