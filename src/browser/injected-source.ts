/** What `injected/` exports, as a script that sets the variable `taskproof`. Each build puts it here: scripts/injected.mjs. */
export const SOURCE: string = '';
/** The same for each function alone. */
export const SOURCES: Record<string, string> = {};
