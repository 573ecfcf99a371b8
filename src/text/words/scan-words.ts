/** Matches `C++`, `C#`; else letters, digits and their marks, with an English contraction. */
const wordPattern =
  /(?<![\p{L}\p{N}])\p{L}(?:\+\+|#)(?![\p{L}\p{N}+#])|[\p{L}\p{N}\p{M}\p{Cf}]+(?:['’ʼ](?:s|t|d|m|re|ve|ll)(?![\p{L}\p{N}]))?/giu

/** Where a word stands in a text. */
export interface WordScan {
  start: number
  end: number
  /** Of its UTF-16 units. */
  hash: number
}

/** What a UTF-16 unit is to words; 0: not looked at yet. */
const [other, wordUnit, special] = [1, 2, 3]
/** By unit. What the pattern says of each, found out when it is met first. */
const kinds = new Uint8Array(0x10000)
const wordCharacter = /[\p{L}\p{N}\p{M}\p{Cf}]/u
/** What may follow a word and belong to it: `don't`, `C++`, `C#`. */
const followers = new Set(["'", '’', 'ʼ', '+', '#'].map((mark) => mark.charCodeAt(0)))

/** Finds out what a unit is, for once. */
function kindOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
  const kind =
    isSurrogate || followers.has(unit) ? special : wordCharacter.test(String.fromCharCode(unit)) ? wordUnit : other
  kinds[unit] = kind
  return kind
}

/**
 * Moves to the next word at or after `scan.end`; false when there is none. A word is what the pattern matches; only those with
 * marks or surrogates are matched by it, since that takes ten times as long.
 */
export function nextWord(text: string, scan: WordScan): boolean {
  const { length } = text
  let at = scan.end
  while (at < length) {
    const first = text.charCodeAt(at)
    const kind = kinds[first] || kindOf(first)
    if (kind === wordUnit) {
      let hash = 0
      let end = at
      let unit = text.charCodeAt(at)
      let next: number = kind
      while (next === wordUnit) {
        hash = (Math.imul(hash, 31) + unit) | 0
        if (++end === length) break
        unit = text.charCodeAt(end)
        next = kinds[unit] || kindOf(unit)
      }
      if (next === special) return matchWord(text, scan, at)
      scan.start = at
      scan.end = end
      scan.hash = hash
      return true
    }
    if (kind === special && mayBegin(first)) return matchWord(text, scan, at)
    at++
  }
  return false
}

/** Half of a character, or the apostrophe that counts as a letter. */
function mayBegin(unit: number): boolean {
  return (unit >= 0xd800 && unit <= 0xdfff) || unit === 0x02bc
}

function matchWord(text: string, scan: WordScan, from: number): boolean {
  wordPattern.lastIndex = from
  const match = wordPattern.exec(text)
  if (!match) return false
  scan.start = match.index
  scan.end = wordPattern.lastIndex
  let hash = 0
  for (let at = scan.start; at < scan.end; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  scan.hash = hash
  return true
}
