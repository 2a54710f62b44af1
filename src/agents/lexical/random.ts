/** A function from keys to numbers of 0 to 1: equal for equal keys and seed, unlike otherwise (FNV-1a, mixed). */
export function generator(seed: number): (key: string) => number {
  return key => {
    let hash = (2166136261 ^ seed) >>> 0;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16777619) >>> 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b) >>> 0;
    return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
  };
}
