// The tools that a page registers for agents (WebMCP).

/** `document.modelContext` in the draft, `navigator.modelContext` in some browsers. */
interface ModelContext {
  getTools?(): Promise<
    { name: string; description?: string; inputSchema?: unknown; annotations?: unknown; window?: unknown }[]
  >;
}

/** What is known of a document's tools before they are read. */
export interface Outline {
  size: number;
  /** Equal for equal tools; if they are long, only their lengths count. */
  key: string;
  /** Frames of the same origin have tools, too. */
  inFrames: boolean;
}

/** What tells whether the tools have changed; null if the page has no WebMCP. Has to run in the page's own world. */
export async function outlineTools(): Promise<Outline | null> {
  const { modelContext = (navigator as { modelContext?: ModelContext }).modelContext } =
    document as unknown as { modelContext?: ModelContext };
  if (!modelContext) return null;
  const tools = (await modelContext.getTools?.()) ?? [];
  const said = tools.map(({ name, description = '', inputSchema = '', annotations }) => [
    name,
    description,
    typeof inputSchema === 'string' ? inputSchema : JSON.stringify(inputSchema),
    JSON.stringify(annotations ?? null),
  ]);
  const size = said.flat().reduce((sum, { length }) => sum + length, 0);
  const told = size > 50_000 ? said.map(texts => texts.map(({ length }) => length)) : said;
  const inFrames = tools.some(tool => tool.window && tool.window !== window);
  return { size, key: JSON.stringify([performance.timeOrigin, told]), inFrames };
}

/** Whether a tool has filled in its form, which now has to be sent; null if the tool has no such form. */
export function isFilledIn(name: string): boolean | null {
  const forms = [...document.querySelectorAll('form[toolname]:not([toolautosubmit])')];
  const own = forms.filter(form => form.getAttribute('toolname') === name);
  return own.length === 0 ? null : own.some(form => form.matches(':tool-form-active'));
}
