// Finds the known word that a misspelt one probably means.

/** The nearest known word, if the given one may be a typo of it. Ignores case and separators. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const plain = bare(word);
  const ranked = known
    .map(candidate => ({ candidate, distance: editDistance(plain, bare(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.floor(Math.max(word.length, candidate.length) / 3))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

const MAX_LENGTH = 40;

function bare(word: string): string {
  return word.replace(/[-_\s]/g, '').toLowerCase();
}

/** How many letters to insert, delete, replace or swap with their neighbour to get from one word to the other. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i++) {
    const above = rows[i - 1]!;
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped =
        from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced;
      row.push(Math.min(replaced, swapped, above[j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows.at(-1)!.at(-1)!;
}
