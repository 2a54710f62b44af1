/** What `injected/` exports, as a script that sets the variable `taskproof`. The build fills it in: scripts/injected.mjs. */
export const SOURCE: string = '';
/** A script for each function alone. */
export const SOURCES: Record<string, string> = {};
