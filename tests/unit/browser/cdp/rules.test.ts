import { expect, test } from 'vitest';
import { ACTS } from '../../../../src/browser/cdp/rules';

test.each([
  'Input.dispatchMouseEvent',
  'Input.insertText',
  'Runtime.evaluate',
  'Runtime.callFunctionOn',
  'Page.navigate',
  'Page.reload',
  'Page.bringToFront',
  'DOM.setFileInputFiles',
  'Target.createTarget',
  'Target.closeTarget',
])('%s may change a page', method => expect(ACTS.test(method)).toBe(true));

// What a client needs to get ready, and what a page may be waiting for.
test.each([
  'Runtime.enable',
  'Runtime.runIfWaitingForDebugger',
  'Page.handleJavaScriptDialog',
  'Page.captureScreenshot',
  'Target.attachToTarget',
  'Target.setAutoAttach',
  'DOM.getDocument',
  'Fetch.continueRequest',
])('%s does not', method => expect(ACTS.test(method)).toBe(false));
