// Whether a diagnosis names the cause first: in its headline, in what the page said, in its parting, or with its first finding.

/**
 * @param {import('./variants.mjs').Variant['named']} named
 * @param {{ headline?: string, parted?: string | null, pageSaid?: string, findings?: { kind: string, locator: string, text: string }[] }} [diagnosis]
 * @returns {{ right: boolean, falsely: boolean, shown: string[] }} `falsely`: the first finding is not the cause
 */
export function grade({ kind, about, said }, { headline = '', pageSaid = '', parted, findings = [] } = {}) {
  const sentences = [headline, pageSaid, parted ?? ''];
  const [first] = findings;
  const isNamed = first?.kind === kind && about?.test(`${first?.locator} ${first?.text}`) === true;
  const isSaid = said !== undefined && sentences.some(text => said.test(text));
  // A wrong first finding misleads the reader, whatever else is said.
  const falsely = first !== undefined && !isNamed;
  const found = findings.slice(0, 2).map(each => `${each.kind} ${each.locator}: ${each.text}`);
  return { right: !falsely && (isSaid || isNamed), falsely, shown: [...sentences, ...found].filter(Boolean) };
}
