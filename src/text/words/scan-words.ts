/**
 * Matches `C++` and `C#`; otherwise letters, digits and their marks, with an English contraction. A non-joiner between Arabic letters
 * separates the parts of a word, as in Persian `می‌روند`.
 */
const wordPattern =
  /(?<![\p{L}\p{N}])\p{L}(?:\+\+|#)(?![\p{L}\p{N}+#])|(?:[\p{L}\p{N}\p{M}\p{Cf}](?<!\p{sc=Arabic}\p{M}*\u200c(?=\p{sc=Arabic})))+(?:['’ʼ](?:s|t|d|m|re|ve|ll)(?![\p{L}\p{N}]))?/giu

/** The place of a word in a text. */
export interface WordScan {
  start: number
  end: number
  /** The hash of its UTF-16 units. */
  hash: number
}

/** A text and its UTF-16 units. Reading an array of numbers is several times as fast as reading a string. */
export interface TextUnits {
  text: string
  /** The units of the text, then `endOfText`. Unused units may follow. */
  units: Uint16Array
}

/** The end mark of `TextUnits`. It is not a character, but a text may contain it. */
export const endOfText = 0xffff

const maxSpareUnits = 1 << 16
/** A buffer for the units of one text after another; null while it is in use. */
let spare: Uint16Array | null = null

/** Copies the UTF-16 units of a text to a buffer. Call `releaseUnits` afterwards. */
export function takeUnits(text: string): TextUnits {
  const { length } = text
  const units = spare !== null && spare.length > length ? spare : new Uint16Array(Math.max(4096, length + 1))
  if (units === spare) spare = null
  if (isLittleEndian) Buffer.from(units.buffer, 0, length * 2).write(text, 0, 'utf16le')
  else for (let at = 0; at < length; at++) units[at] = text.charCodeAt(at)
  units[length] = endOfText
  return { text, units }
}

/** Releases the buffer of a text for reuse. */
export function releaseUnits({ units }: TextUnits): void {
  if (units.length <= maxSpareUnits && units.length > (spare?.length ?? 0)) spare = units
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** The classes of UTF-16 units; 0: not classified yet. */
const [other, wordUnit, special] = [1, 2, 3]
/** The class of each unit according to the pattern, determined when the unit first occurs. */
const kinds = new Uint8Array(0x10000)
const wordCharacter = /[\p{L}\p{N}\p{M}\p{Cf}]/u
/** Characters that may follow a word and belong to it, as in `don't`, `C++` and `C#`, and the non-joiner. */
const followers = new Set(["'", '’', 'ʼ', '+', '#', '\u200c'].map((mark) => mark.charCodeAt(0)))

/** Classifies a unit and caches the result. */
function kindOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
  const kind =
    isSurrogate || followers.has(unit) ? special : wordCharacter.test(String.fromCharCode(unit)) ? wordUnit : other
  kinds[unit] = kind
  return kind
}

/**
 * Moves to the next word at or after `scan.end`. Returns false if there is none. A word is what the pattern matches. The pattern takes ten
 * times as long as this scan, so it is only used for words with special characters or surrogates.
 */
export function nextWord({ text, units }: TextUnits, scan: WordScan): boolean {
  const { length } = text
  let at = scan.end
  while (at < length) {
    const first = units[at] as number
    const kind = kinds[first] || kindOf(first)
    if (kind === wordUnit) {
      let hash = 0
      let end = at
      let unit = first
      let next: number = kind
      while (next === wordUnit) {
        hash = (Math.imul(hash, 31) + unit) | 0
        if (++end === length) break
        unit = units[end] as number
        next = kinds[unit] || kindOf(unit)
      }
      if (next === special) return matchWord(text, scan, at)
      scan.start = at
      scan.end = end
      scan.hash = hash
      return true
    }
    if (kind === special && canBegin(first)) return matchWord(text, scan, at)
    at++
  }
  return false
}

/** True for half of a surrogate pair, for the apostrophe that counts as a letter, and for the non-joiner. */
function canBegin(unit: number): boolean {
  return (unit >= 0xd800 && unit <= 0xdfff) || unit === 0x02bc || unit === 0x200c
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
