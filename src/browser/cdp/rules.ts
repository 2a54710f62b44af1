// What a program that drives a trial's page may request: anything about its page, and of the browser only what is about
// the trial's context, since other contexts belong to other tests. All else is refused, in every session: in some domains
// (Tracing, Memory, SystemInfo) a page's session reaches the whole browser. This keeps trials apart. It is not a sandbox:
// the program runs with the user's rights.

type Params = Record<string, unknown>;

export type Rule =
  /** Pass it on with these parameters. First check that `asksForTarget` belongs to the trial. */
  | { params: Params; asksForTarget?: string }
  /** Attach the client to all targets, also to later ones; null: no longer to new ones. */
  | { attachTo: TargetFilter | null }
  /** Answer it with this. */
  | { result: object; closes?: boolean }
  | { error: string };

interface Circumstances {
  /** The message is for the browser itself, not for a page or worker. */
  root: boolean;
  browserContextId: string;
  isOwnTarget(targetId: string): boolean;
  isOwnWindow(windowId: unknown): boolean;
}

/** The protocol's `Target.TargetFilter`; undefined for the browser's own default. */
export type TargetFilter = object[] | undefined;

/** Domains that only reach the page, frame or worker of the session, and the storage of its context. */
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

/** Browser-wide methods that any session may call. */
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

/** Passed on with the id of the trial's context. */
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

/** Methods that may change a page: they wait while the trial looks at it. The others only prepare or listen. */
const ACTS =
  /^(?:Input\..+|Taskproof\.callPageTool|Runtime\.(?:evaluate|callFunctionOn|runScript)|Page\.(?:bringToFront|navigate|navigateToHistoryEntry|reload|close|setDocumentContent)|DOM\.(?:focus|remove.*|set.*)|Target\.(?:createTarget|closeTarget|activateTarget))$/;

export function acts(method: string): boolean {
  return ACTS.test(method);
}

export function ruleFor(method: string, params: Params, circumstances: Circumstances): Rule {
  const { root, browserContextId, isOwnTarget, isOwnWindow } = circumstances;
  const answered = ANSWERED.get(method);
  if (answered) return answered;
  if (root && method === 'Target.setAutoAttach')
    return { attachTo: params.autoAttach ? (params.filter as TargetFilter) : null };
  if (root && IN_CONTEXT.has(method)) {
    // Neither Playwright nor the guard would notice a hidden tab.
    const { hidden, ...shown } = params;
    return { params: { ...shown, browserContextId } };
  }
  const browserWide = BROWSER_WIDE.test(method);
  if (!isOpen(method, root) || (!root && 'browserContextId' in params))
    return {
      error: `'${method}' is not available to a program that drives a trial: this endpoint serves the browser context of one test`,
    };
  if (/WindowBounds$/.test(method) && !isOwnWindow(params.windowId))
    return {
      error: `${JSON.stringify(params.windowId)} is not a window of this trial: call Browser.getWindowForTarget first`,
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
