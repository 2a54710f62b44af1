// What a program that drives a trial's page may request: what concerns its page, and of the browser only what
// concerns the trial's context. Other contexts belong to other tests. What is not listed is refused, in every session,
// since a page's session, too, reaches the whole browser in some domains (Tracing, Memory, SystemInfo). This keeps trials
// apart; it is no sandbox, since the program runs as the user does.

type Params = Record<string, unknown>;

export type Rule =
  /** To be passed on, with these parameters; `asksForTarget` must turn out to be the trial's first. */
  | { params: Params; asksForTarget?: string }
  /** To be attached to all targets that there are and will be, or to none any more. */
  | { attachTo: TargetFilter | null }
  /** Answered here. */
  | { result: object; closes?: boolean }
  | { error: string };

interface Circumstances {
  /** Asked of the browser itself, not of a page or worker. */
  root: boolean;
  browserContextId: string;
  isOwnTarget(targetId: string): boolean;
  isOwnWindow(windowId: unknown): boolean;
}

/** The protocol's `Target.TargetFilter`; undefined for the browser's own default. */
export type TargetFilter = object[] | undefined;

/** Domains that end at the page, frame or worker whose session is asked, and at its context's storage. */
const OF_A_PAGE =
  /^(?:Accessibility|Animation|Audits|Autofill|CSS|CacheStorage|Console|DOM|DOMDebugger|DOMSnapshot|DOMStorage|Debugger|DeviceAccess|DeviceOrientation|Emulation|EventBreakpoints|FedCm|Fetch|HeapProfiler|IO|IndexedDB|Input|Inspector|LayerTree|Log|Media|Network|Overlay|Page|Performance|PerformanceTimeline|Profiler|Runtime|Schema|Security|ServiceWorker|WebAudio|WebAuthn|WebMCP)\./;

/** Methods of `Storage` that a page's session may call. The others reveal the whole profile. */
const OF_A_PAGES_STORAGE = new Set([
  'Storage.clearCookies',
  'Storage.clearDataForOrigin',
  'Storage.clearDataForStorageKey',
  'Storage.getCookies',
  'Storage.getStorageKey',
  'Storage.getStorageKeyForFrame',
  'Storage.getUsageAndQuota',
  'Storage.setCookies',
]);

const BROWSER_WIDE = /^(?:Browser|Target)\./;

/** Of the browser-wide ones, those that any session may ask. */
const PASSED = new Set([
  'Browser.getVersion',
  'Browser.getWindowBounds',
  'Browser.getWindowForTarget',
  'Browser.setWindowBounds',
  'Target.activateTarget',
  'Target.attachToTarget',
  'Target.closeTarget',
  'Target.detachFromTarget',
  'Target.getTargetInfo',
  'Target.setAutoAttach',
]);

/** Their answers and events are filtered by context, which is only done for the browser's session. */
const PASSED_AT_ROOT = new Set(['Target.getTargets', 'Target.setDiscoverTargets']);

/** Passed on for the trial's context. */
const IN_CONTEXT = new Set([
  'Browser.grantPermissions',
  'Browser.resetPermissions',
  'Browser.setPermission',
  'Storage.clearCookies',
  'Storage.getCookies',
  'Storage.setCookies',
  'Target.createTarget',
]);

/** Answered without doing anything. Downloads must stay with Playwright, or the trial would not notice them. */
const ANSWERED = new Map<string, Rule>([
  ['Browser.close', { result: {}, closes: true }],
  ['Browser.setDownloadBehavior', { result: {} }],
  ['Page.setDownloadBehavior', { result: {} }],
  ['Target.getBrowserContexts', { result: { browserContextIds: [] } }],
  ['Target.setRemoteLocations', { result: {} }],
]);

/** What moves a page, or may: it waits while the trial looks at the page. The rest only prepares and listens. */
const ACTS =
  /^(?:Input\..+|Taskproof\.callPageTool|Runtime\.(?:evaluate|callFunctionOn|runScript)|Page\.(?:bringToFront|navigate|navigateToHistoryEntry|reload|close|setDocumentContent)|DOM\.(?:focus|remove.*|set.*)|Target\.(?:createTarget|closeTarget|activateTarget))$/;

export function acts(method: string): boolean {
  return ACTS.test(method);
}

/** How to handle a client's message. */
export function ruleFor(method: string, params: Params, circumstances: Circumstances): Rule {
  const { root, browserContextId, isOwnTarget, isOwnWindow } = circumstances;
  const answered = ANSWERED.get(method);
  if (answered) return answered;
  if (root && method === 'Target.setAutoAttach')
    return { attachTo: params.autoAttach ? (params.filter as TargetFilter) : null };
  if (root && IN_CONTEXT.has(method)) {
    // Playwright would not hear of a hidden tab, nor the guard.
    const { hidden, ...shown } = params;
    return { params: { ...shown, browserContextId } };
  }
  const browserWide = BROWSER_WIDE.test(method);
  if (!isOpen(method, root) || (!root && 'browserContextId' in params))
    return {
      error: `'${method}' is not open to a program that drives a trial: this endpoint serves the browser context of one test`,
    };
  if (/WindowBounds$/.test(method) && !isOwnWindow(params.windowId))
    return {
      error: `${JSON.stringify(params.windowId)} is no window of this trial: ask Browser.getWindowForTarget for it`,
    };
  const { targetId } = params;
  const asks = browserWide && typeof targetId === 'string' && !isOwnTarget(targetId);
  // Between us and the browser, sessions are nested.
  const passed = browserWide && 'flatten' in params ? { ...params, flatten: false } : params;
  return asks ? { params: passed, asksForTarget: targetId } : { params: passed };
}

function isOpen(method: string, root: boolean): boolean {
  if (PASSED.has(method)) return true;
  return root ? PASSED_AT_ROOT.has(method) : OF_A_PAGE.test(method) || OF_A_PAGES_STORAGE.has(method);
}
