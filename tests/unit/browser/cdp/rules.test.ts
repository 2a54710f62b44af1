import { describe, expect, test } from 'vitest';
import { acts, type Rule, ruleFor } from '../../../../src/browser/cdp/rules';

const OWN = 'own-target';
const FOREIGN = 'foreign-target';
const CONTEXT = 'own-context';

const rule = (method: string, params: Record<string, unknown>, root: boolean) =>
  ruleFor(method, params, {
    root,
    browserContextId: CONTEXT,
    isOwnTarget: id => id === OWN,
    isOwnWindow: id => id === 7,
  });

const refused = { error: expect.stringContaining('is not available to a program that drives a trial') };
const noWindow = { error: expect.stringContaining('is not a window of this trial') };
const flat = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

/** Method, parameters, what is asked of the browser, what of a page or worker. */
const rows: [string, Record<string, unknown>, Rule | typeof refused, Rule | typeof refused][] = [
  // Of its page a program may ask anything.
  ['Page.navigate', { url: 'x:' }, refused, { params: { url: 'x:' } }],
  ['Runtime.evaluate', { targetId: FOREIGN }, refused, { params: { targetId: FOREIGN } }],
  ['Page.captureScreenshot', { flatten: true }, refused, { params: { flatten: true } }],
  ['Fetch.enable', {}, refused, { params: {} }],
  ['Network.getCookies', {}, refused, { params: {} }],
  // Of the browser: what is not named is refused, also what no one has heard of.
  ['Browser.getVersion', {}, { params: {} }, { params: {} }],
  ['Browser.crash', {}, refused, refused],
  ['Browser.somethingNew', {}, refused, refused],
  ['Target.somethingNew', {}, refused, refused],
  ['SystemInfo.getInfo', {}, refused, refused],
  ['Tracing.start', {}, refused, refused],
  ['Memory.getBrowserSamplingProfile', {}, refused, refused],
  ['PageX.enable', {}, refused, refused],
  ['Page', {}, refused, refused],
  ['', {}, refused, refused],
  ['constructor', {}, refused, refused],
  ['Target.createBrowserContext', {}, refused, refused],
  ['Target.disposeBrowserContext', { browserContextId: CONTEXT }, refused, refused],
  ['Target.attachToBrowserTarget', {}, refused, refused],
  ['Target.exposeDevToolsProtocol', { targetId: OWN }, refused, refused],
  ['Target.autoAttachRelated', { targetId: OWN }, refused, refused],
  ['Target.sendMessageToTarget', {}, refused, refused],
  // What is of a context is of the trial's, whatever the client says.
  [
    'Target.createTarget',
    { url: 'x:', hidden: true, browserContextId: 'theirs' },
    { params: { url: 'x:', browserContextId: CONTEXT } },
    refused,
  ],
  ['Storage.getCookies', { browserContextId: 'theirs' }, { params: { browserContextId: CONTEXT } }, refused],
  [
    'Browser.grantPermissions',
    { permissions: [] },
    { params: { permissions: [], browserContextId: CONTEXT } },
    refused,
  ],
  ['Target.getTargets', {}, { params: {} }, refused],
  ['Target.setDiscoverTargets', { discover: true }, { params: { discover: true } }, refused],
  [
    'Target.getBrowserContexts',
    {},
    { result: { browserContextIds: [] } },
    { result: { browserContextIds: [] } },
  ],
  // Targets that are not known to be the trial's are asked about first, and sessions are nested.
  [
    'Target.attachToTarget',
    { targetId: OWN, flatten: true },
    { params: { targetId: OWN, flatten: false } },
    { params: { targetId: OWN, flatten: false } },
  ],
  [
    'Target.attachToTarget',
    { targetId: FOREIGN },
    { params: { targetId: FOREIGN }, asksForTarget: FOREIGN },
    { params: { targetId: FOREIGN }, asksForTarget: FOREIGN },
  ],
  [
    'Target.closeTarget',
    { targetId: FOREIGN },
    { params: { targetId: FOREIGN }, asksForTarget: FOREIGN },
    { params: { targetId: FOREIGN }, asksForTarget: FOREIGN },
  ],
  ['Target.getTargetInfo', {}, { params: {} }, { params: {} }],
  [
    'Target.detachFromTarget',
    { sessionId: 's' },
    { params: { sessionId: 's' } },
    { params: { sessionId: 's' } },
  ],
  ['Target.setAutoAttach', flat, { attachTo: undefined }, { params: { ...flat, flatten: false } }],
  [
    'Target.setAutoAttach',
    { ...flat, filter: [{ type: 'tab' }] },
    { attachTo: [{ type: 'tab' }] },
    { params: { ...flat, flatten: false, filter: [{ type: 'tab' }] } },
  ],
  [
    'Target.setAutoAttach',
    { ...flat, autoAttach: false },
    { attachTo: null },
    { params: { ...flat, autoAttach: false, flatten: false } },
  ],
  ['Storage.getCookies', {}, { params: { browserContextId: CONTEXT } }, { params: {} }],
  ['Storage.clearDataForOrigin', { origin: 'x' }, refused, { params: { origin: 'x' } }],
  ['Storage.getSharedStorageEntries', {}, refused, refused],
  ['Browser.getWindowBounds', { windowId: 7 }, { params: { windowId: 7 } }, { params: { windowId: 7 } }],
  ['Browser.setWindowBounds', { windowId: 8 }, noWindow, noWindow],
  ['Browser.getWindowBounds', { windowId: '7' }, noWindow, noWindow],
  // Answered, not done.
  ['Browser.close', {}, { result: {}, closes: true }, { result: {}, closes: true }],
  ['Browser.setDownloadBehavior', { behavior: 'deny' }, { result: {} }, { result: {} }],
  ['Page.setDownloadBehavior', { behavior: 'deny' }, { result: {} }, { result: {} }],
  ['Target.setRemoteLocations', {}, { result: {} }, { result: {} }],
];

describe.each(rows)('%s %j', (method, params, ofBrowser, ofPage) => {
  test('of the browser', () => expect(rule(method, params, true)).toEqual(ofBrowser));
  test('of a page', () => expect(rule(method, params, false)).toEqual(ofPage));
});

test('a refusal names the method', () => {
  expect(rule('Browser.crash', {}, true)).toEqual({ error: expect.stringContaining("'Browser.crash'") });
});

test.each([
  ['Input.dispatchMouseEvent', true],
  ['Input.insertText', true],
  ['Runtime.evaluate', true],
  ['Runtime.callFunctionOn', true],
  ['Page.navigate', true],
  ['Page.reload', true],
  ['Page.bringToFront', true],
  ['DOM.setFileInputFiles', true],
  ['Target.createTarget', true],
  ['Target.closeTarget', true],
  // What a client needs to get ready, and what a page may be waiting for.
  ['Runtime.enable', false],
  ['Runtime.runIfWaitingForDebugger', false],
  ['Page.handleJavaScriptDialog', false],
  ['Page.captureScreenshot', false],
  ['Target.attachToTarget', false],
  ['Target.setAutoAttach', false],
  ['DOM.getDocument', false],
  ['Fetch.continueRequest', false],
])('%s moves the page: %s', (method, moves) => expect(acts(method)).toBe(moves));
