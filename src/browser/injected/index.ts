// What `callInPage` and `injected` of in-page.ts can call in a page, by name. The code may be loaded again for each call: only
// globals last.
export * from './document';
export { cssPathOf, pressedInstead, settable, valueOfText } from './elements';
export { shows } from './laid-out';
export { look, seen, show } from './look';
export * from './pointing';
export { areNamed, findNames } from './rules';
export { pathBeside, standing } from './standing';
export * from './typing';
