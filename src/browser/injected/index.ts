// What can be called in a page, by its name: `callInPage` and `injected` of in-page.ts. Each call brings the code again, so
// that nothing is kept from one to the next but in globals.
export * from './document';
export { cssPathOf, pressedInstead, settable, valueOfText } from './elements';
export { laidOutTexts } from './laid-out';
export { look, seen, show } from './look';
export * from './pointing';
export { areNamed, findNames } from './rules';
export { pathBeside, standing } from './standing';
export * from './typing';
