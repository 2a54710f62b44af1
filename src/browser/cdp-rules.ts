// What a program that drives a trial's page may ask of the browser: everything about its page, and of the browser
// only what concerns the trial's context. Other contexts belong to other tests.

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
}

/** The protocol's `Target.TargetFilter`; undefined for the browser's own default. */
export type TargetFilter = object[] | undefined;

/** Passed on as they are. */
const PASSED = new Set([
  'Browser.getVersion',
  'Browser.getWindowBounds',
  'Browser.getWindowForTarget',
  'Browser.setWindowBounds',
  'Target.activateTarget',
  'Target.attachToTarget',
  'Target.autoAttachRelated',
  'Target.closeTarget',
  'Target.detachFromTarget',
  'Target.getTargetInfo',
  'Target.getTargets',
  'Target.setAutoAttach',
  'Target.setDiscoverTargets',
]);

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

/** Answered without being done. Downloads are Playwright's: elsewhere, the trial would not hear of them. */
const ANSWERED: Record<string, Rule> = {
  'Browser.close': { result: {}, closes: true },
  'Browser.setDownloadBehavior': { result: {} },
  'Page.setDownloadBehavior': { result: {} },
  'Target.getBrowserContexts': { result: { browserContextIds: [] } },
  'Target.setRemoteLocations': { result: {} },
};

/** Domains of which a page's own session, too, reaches the whole browser. */
const BROWSER_WIDE = /^(?:Browser|Target)\./;

/** What becomes of a client's message. */
export function ruleFor(
  method: string,
  params: Params,
  { root, browserContextId, isOwnTarget }: Circumstances,
): Rule {
  const answered = ANSWERED[method];
  if (answered) return answered;
  if (root && method === 'Target.setAutoAttach')
    return { attachTo: params.autoAttach ? (params.filter as TargetFilter) : null };
  if (root && IN_CONTEXT.has(method)) return { params: { ...params, browserContextId } };
  if ((root || BROWSER_WIDE.test(method)) && !PASSED.has(method))
    return {
      error: `'${method}' is not open to a program that drives a trial: this endpoint serves the browser context of one test`,
    };
  // Between us and the browser, sessions are nested.
  const passed = 'flatten' in params ? { ...params, flatten: false } : params;
  const { targetId } = params;
  const asks = root && typeof targetId === 'string' && !isOwnTarget(targetId);
  return asks ? { params: passed, asksForTarget: targetId } : { params: passed };
}
