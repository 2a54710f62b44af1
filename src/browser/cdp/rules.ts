// What a program that drives a trial's page may request: anything about its page, and of the browser only what concerns the
// trial's context, since other contexts belong to other tests. Everything else is refused in every session: in some domains
// (Tracing, Memory, SystemInfo) a page's session reaches the whole browser. This keeps trials apart, but is no sandbox: the
// program runs with the user's rights.
import { parsedUrl } from '../../spec/url';
import { ANSWERED_BY } from '../session/network';
import type { Params } from './relay';

/** Domains that only reach the page, frame or worker of the session, and the storage of its context. */
const OF_A_PAGE =
  /^(?:Accessibility|Animation|Audits|Autofill|CSS|CacheStorage|Console|DOM|DOMDebugger|DOMSnapshot|DOMStorage|Debugger|DeviceAccess|DeviceOrientation|Emulation|EventBreakpoints|FedCm|Fetch|HeapProfiler|IO|IndexedDB|Input|Inspector|LayerTree|Log|Media|Network|Overlay|Page|Performance|PerformanceTimeline|Profiler|Runtime|Schema|Security|ServiceWorker|WebAudio|WebAuthn|WebMCP)\./;

/** Methods of `Storage` that a page's session may call. The others reveal the whole profile. */
const OF_A_PAGES_STORAGE =
  /^Storage\.(?:(?:clear|get|set)Cookies|clearDataFor(?:Origin|StorageKey)|getStorageKey(?:ForFrame)?|getUsageAndQuota)$/;

/** Browser-wide methods that any session may call. */
const PASSED =
  /^(?:Browser\.(?:getVersion|getWindowForTarget)|Target\.(?:activateTarget|attachToTarget|closeTarget|detachFromTarget|getTargetInfo|setAutoAttach))$/;

/** Only in the browser's session, where their answers and events are filtered by context. */
const PASSED_AT_ROOT = /^Target\.(?:getTargets|setDiscoverTargets)$/;

const IN_CONTEXT =
  /^(?:Browser\.(?:grantPermissions|resetPermissions|setPermission)|Storage\.(?:clear|get|set)Cookies|Target\.createTarget)$/;

/** Answered without doing anything. Downloads must stay with Playwright, or the trial would not notice them; windows may be shared. */
export const ANSWERED: ReadonlyMap<string, object> = new Map([
  ['Browser.close', {}],
  ['Browser.setDownloadBehavior', {}],
  ['Browser.setWindowBounds', {}],
  ['Page.setDownloadBehavior', {}],
  ['Target.getBrowserContexts', { browserContextIds: [] }],
  ['Target.setRemoteLocations', {}],
]);

/** The old form of `Fetch`, among `OF_A_PAGE`: it could answer a request without our mark. */
const OUTDATED = /^Network\.(?:setRequestInterception|continueInterceptedRequest)$/;

/** Parameters that would put a request or an answer into the network log that no server saw or gave. */
const FORGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Fetch.continueRequest', ['url', 'method', 'postData']],
  ['Fetch.continueResponse', ['responseCode', 'responsePhrase', 'responseHeaders', 'binaryResponseHeaders']],
  ['Fetch.fulfillRequest', ['binaryResponseHeaders']],
]);

const OPENS = /^(?:Page\.navigate|Target\.createTarget)$/;
/** Other URLs are the browser's own (`chrome:`, `view-source:`, `about:version`) or files of the machine. */
const OPENED = /^(?:https?:|blob:https?:|data:|about:blank(?:[?#]|$))/;

/** Methods that may change a page: they wait while the trial looks at it. The others only prepare or listen. */
export const ACTS =
  /^(?:Input\..+|Taskproof\.callPageTool|Runtime\.(?:evaluate|callFunctionOn|runScript)|Page\.(?:bringToFront|navigate|navigateToHistoryEntry|reload|close|setDocumentContent)|DOM\.(?:focus|remove.*|set.*)|Target\.(?:createTarget|closeTarget|activateTarget))$/;

export const BROWSER_WIDE = /^(?:Browser|Target)\./;

/** The parameters with which a request is passed on. Throws if the program may not make it. */
export function passed(method: string, params: Params, root: boolean, browserContextId: string): Params {
  if (OPENS.test(method) && params.url && !OPENED.test(parsedUrl(params.url)?.href ?? ''))
    throw new Error(
      `${method} of ${JSON.stringify(params.url)}: this endpoint only opens http and https pages`,
    );
  const forged = FORGES.get(method)?.find(name => name in params);
  if (forged)
    throw new Error(
      `${method} with '${forged}' is not available: Fetch.fulfillRequest with 'responseHeaders' is`,
    );
  if (root && IN_CONTEXT.test(method)) {
    // Neither Playwright nor the guard would notice a hidden tab.
    const { hidden, ...shown } = params;
    return { ...shown, browserContextId };
  }
  if (!isOpen(method, root) || (!root && 'browserContextId' in params))
    throw new Error(
      `'${method}' is not available to a program that drives a trial: this endpoint serves the browser context of one test`,
    );
  if (method === 'Fetch.fulfillRequest') {
    const mark = { name: ANSWERED_BY, value: 'program' };
    return { ...params, responseHeaders: [...(params.responseHeaders ?? []), mark] };
  }
  // Between us and the browser, sessions are nested.
  return BROWSER_WIDE.test(method) && 'flatten' in params ? { ...params, flatten: false } : params;
}

function isOpen(method: string, root: boolean): boolean {
  const others = root ? [PASSED_AT_ROOT] : [OF_A_PAGE, OF_A_PAGES_STORAGE];
  return !OUTDATED.test(method) && [PASSED, ...others].some(open => open.test(method));
}
