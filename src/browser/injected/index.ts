// What can be called in a page, by its name: `callInPage` and `injected` of in-page.ts. Each call brings the code anew, so
// that nothing is kept from one to the next but in globals.
export { controlAt, describeAt, scrollsAt, spotAt } from './at-point';
export { hashOfContent, visibleText } from './content';
export { cssPathOf } from './elements';
export { besideTree, pressedInstead, settable, valueOfText } from './fields';
export { look, seen, show } from './look';
export { matches, meant, textAt } from './meant';
export { isFilledIn, outlineTools } from './model-context';
export { overIt } from './overlap';
export { bringIntoView } from './scrolling';
export { countDoubtful, findNames } from './unnamed';
export { countElements, drawn, nextTasks, redraw, viewport } from './view';
