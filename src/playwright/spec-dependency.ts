// Makes a changed YAML file count as a change of the test file that runs it: for `--only-changed` and for watch mode.
// Checked on Playwright 1.65 (lib/common: requireOrImport, recordResolvedFile): for a CommonJS test file the children of its
// module are its dependencies; for an ES module the files that its imports resolve to.
import Module from 'node:module';
import { pathToFileURL } from 'node:url';
import { type CallSite, callSiteFile } from './call-site';

export function dependOn(callSite: CallSite, files: readonly string[]): void {
  // Workers don't collect dependencies.
  if (process.env.TEST_WORKER_INDEX !== undefined) return;
  const parent = require.cache[callSiteFile(callSite)];
  for (const file of files) {
    if (parent) {
      const child = new Module(file, parent);
      child.filename = file;
      if (!parent.children.includes(child)) parent.children.push(child);
    } else {
      // Resolving is what is wanted; a YAML file can't be loaded as a module, and is not.
      import(pathToFileURL(file).href).catch(() => undefined);
    }
  }
}
