// Loaded before everything else in the processes of suites (NODE_OPTIONS): keeps what V8 compiled of Playwright's two
// large files, which each of some hundred processes would compile anew. Node 22 has this built in
// (NODE_COMPILE_CACHE). And spares them Playwright's hooks for ES modules where a suite has none: before Node 22.15 they are
// a thread in each process, a tenth of what its start costs.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');

// Not the files that import a suite's ES modules: what they `eval` finds no importer in a script made here.
const LARGE = 1_000_000;
const folder = process.env.TASKPROOF_TEST_CACHE ?? '';
const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
/** @type {{ _compile(content: string, filename: string, ...rest: unknown[]): unknown }} */
const prototype = Object(Module.prototype);
const compile = prototype._compile;

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Processes that end at once must not see half of a file.
 *
 * @param {string} file
 * @param {vm.Script} script
 */
function keep(file, script) {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, script.createCachedData());
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next process tries again.
  }
}

if (folder && importModuleDynamically)
  prototype._compile = function (content, filename, ...rest) {
    if (content.length < LARGE || !filename.includes('node_modules'))
      return compile.call(this, content, filename, ...rest);
    const file = join(folder, `${filename.replace(/[^\w.]+/g, '_')}-${content.length}`);
    const cachedData = read(file);
    const script = new vm.Script(Module.wrap(content), { filename, cachedData, importModuleDynamically });
    /** @type {NodeJS.Module} */
    const module = Object(this);
    const require = Object.assign(
      (/** @type {string} */ id) => module.require(id),
      Module.createRequire(filename),
    );
    const result = script
      .runInThisContext()
      .call(module.exports, module.exports, require, module, filename, dirname(filename));
    if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(file, script));
    return result;
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
