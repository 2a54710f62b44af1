import type { TaskSpec } from '../spec';

/**
 * The same spec on another deployment: the origin of entryUrl is replaced, in entryUrl, in URL globs that start with it and
 * where the goal names it, and the new host joins the allowed domains.
 *
 * @param origin scheme, host and port, such as `https://preview-42.example.com`.
 */
export function atOrigin(spec: TaskSpec, origin: string | undefined): TaskSpec {
  if (origin === undefined) return spec;
  const entry = new URL(spec.entryUrl);
  const target = new URL(origin);
  const moved = (glob: string) => {
    const rest = glob.slice(entry.origin.length);
    // `https://example.com.evil.org/**` starts with `https://example.com`, too.
    const sameOrigin = glob.startsWith(entry.origin) && (rest === '' || /^[/?#*]/.test(rest));
    return sameOrigin ? target.origin + rest : glob;
  };
  const host = target.hostname;
  // Told to open the old deployment, an agent would test that one, and report it as the new one's.
  const goal = spec.goal.replace(/https?:\/\/[\w.-]*\w(?::\d+)?/g, address => moved(address));
  return {
    ...spec,
    goal,
    entryUrl: target.origin + entry.pathname + entry.search + entry.hash,
    allowedDomains: spec.allowedDomains.includes(host) ? spec.allowedDomains : [...spec.allowedDomains, host],
    assertions: spec.assertions.map(assertion => {
      if (assertion.type === 'url') return { ...assertion, pattern: moved(assertion.pattern) };
      if (assertion.type === 'network') return { ...assertion, urlPattern: moved(assertion.urlPattern) };
      return assertion;
    }),
  };
}
