/** Tokens that a character of a script takes from each one on, for running text (measured with o200k). */
const scale: readonly (readonly [from: string, tokens: number])[] = [
  ['\t', 0.4],
  [' ', 0],
  ['\u0080', 1],
  ['\u00c0', 1],
  ['\u0180', 1.8],
  ['\u0370', 0.6],
  ['\u0500', 1],
  ['\u0700', 2],
  ['\u0900', 0.8],
  ['\u0d80', 1.3],
  ['\u0e00', 0.8],
  ['\u0e80', 2],
  ['\u1000', 1.4],
  ['\u10a0', 1],
  ['\u1100', 2.7],
  ['\u1e00', 1.2],
  ['\u1f00', 2.2],
  ['\u2000', 1],
  ['\u2028', 2],
  ['\u2c00', 3],
  ['\u3000', 1.2],
  ['\u3100', 2.7],
  ['\u4e00', 1],
  ['\ua000', 3],
  ['\uac00', 1.35],
  ['\ud800', 1.4],
  ['\ue000', 3],
  ['\uff00', 1.5],
]

const perUnit = new Float32Array(0x10000)
for (const [at, [from, tokens]] of scale.entries()) {
  perUnit.fill(tokens, from.charCodeAt(0), scale[at + 1]?.[0].charCodeAt(0))
}

/**
 * About how many tokens a text has for a model, at most a tenth less than it really has unless it is made of letters at
 * random. Words are counted by their beginnings and their length, everything else by the character.
 */
export function estimateTokens(text: string): number {
  let sum = 0
  let letters = 0
  let before = other
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const kind = kindOf(unit)
    const goesOn = kind === before || (kind === small && before === capital)
    letters = goesOn ? letters + 1 : 1
    // Letters and digits that alternate, as in ids and hashes, are not words.
    if (!goesOn && isAlphanumeric(kind) && isAlphanumeric(before)) sum += 0.7
    if (kind === small) sum += goesOn ? (letters > 5 ? 0.42 : 0.12) : 0.72
    else if (kind === capital) sum += 0.68
    else if (kind === digit) sum += goesOn ? 0.4 : 0.62
    else if (kind === mark) sum += 0.78
    else sum += perUnit[unit] as number
    before = kind
  }
  return sum
}

const [other, mark, digit, capital, small] = [0, 1, 2, 3, 4]

function isAlphanumeric(kind: number): boolean {
  return kind >= digit
}

function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return small
  if (unit <= 0x20 || unit >= 0x7f) return other
  if (unit >= 0x30 && unit <= 0x39) return digit
  return unit >= 0x41 && unit <= 0x5a ? capital : mark
}
