import fc from 'fast-check';

/** Any character of Unicode. As fast-check's `binary`, which takes a second to list them all first. */
export const anyCharacter = fc
  .nat({ max: 0x10ffff })
  .filter(code => code < 0xd800 || code > 0xdfff)
  .map(code => String.fromCodePoint(code));
