import { isUtf8 } from 'node:buffer'
import { FormatError } from '../format.ts'

/** How many bytes of a file are used to guess its encoding. */
const sampleBytes = 64 * 1024

/** Multi-byte encodings, with letters that are frequent in their languages. */
const wide: readonly (readonly [encoding: string, frequent: RegExp])[] = [
  ['shift_jis', /[\u3040-\u30ff]|[日本人一大年出中生見]/gu],
  ['euc-jp', /[\u3040-\u30ff]|[日本人一大年出中生見]/gu],
  ['gb18030', /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出]/gu],
  ['big5', /[的一是不了在人有我他這個們中來上大為和國地到以說時要就出]/gu],
  ['euc-kr', /[이다는의에을를가한고하지도로은사기]/gu],
]

/** Single-byte encodings, with their frequent letters; on a tie the first one wins. */
const narrow: readonly (readonly [encoding: string, frequent: RegExp])[] = [
  ['windows-1252', /[éèàçùâêîôûëïüöäÄÖÜßñíóáúãõøåæœÉÀÇ’‘“”–—…«»£§©°·½¼¿¡ºª]/gu],
  ['windows-1251', /[оеаинтсрвлкмдпуяыгьбзчйі]/gu],
  ['koi8-r', /[оеаинтсрвлкмдпуяыгьбзчй]/gu],
  ['windows-1250', /[ěščřžýáíéůúťďňąćęłńóśźżőűöüăâîşţŁŚŻŠČŘŽ„”“–]/gu],
  ['windows-1254', /[ğışçöüİŞ’“”]/gu],
  ['windows-1253', /[αοιετσνηυρπκμλςάίόέήύώδγθ]/gu],
  ['windows-1255', /[\u05d0-\u05ea]/gu],
  ['windows-1256', /[اليمنرتبةعدسفهكوقحجشصطخذزضظغثءأإآپچژگ،؟]/gu],
  ['ibm866', /[оеаинтсрвлкмдпуяыгьбзчй]/gu],
]

/**
 * Decodes a text file: by its byte order mark, as UTF-8 if it is valid, otherwise in the encoding whose frequent
 * letters occur most in its first 64 KiB. Throws `BROKEN` if the file is not text.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decode(bytes)
  if (text.includes('\0')) throw new FormatError('BROKEN', 'not a text file: it has NUL characters')
  return text
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : guessEncoding(bytes.subarray(0, sampleBytes))).decode(bytes)
}

/** The encoding of a text that is not UTF-8. */
export function guessEncoding(sample: Uint8Array): string {
  const isTruncated = sample.length === sampleBytes
  const scores = [
    ...wide.map(([encoding, frequent]) => [encoding, wideScore(sample, { encoding, frequent, isTruncated })] as const),
    ...narrow.map(([encoding, frequent]) => [encoding, narrowScore(sample, encoding, frequent)] as const),
  ]
  return scores.reduce((best, score) => (score[1] > best[1] ? score : best), ['windows-1252', 0.01] as const)[0]
}

interface WideEncoding {
  encoding: string
  frequent: RegExp
  isTruncated: boolean
}

/** Scores a multi-byte encoding, which must be able to decode every byte. */
function wideScore(sample: Uint8Array, { encoding, frequent, isTruncated }: WideEncoding): number {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: isTruncated })
    const others = countMatches(text, /[^\0-\x7f]/gu)
    const letters = countMatches(
      text,
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}、。，．！？「」『』（）：；“”…—　・ー]/gu,
    )
    return others === 0 || letters < others * 0.95 ? 0 : 0.6 + countMatches(text, frequent) / others
  } catch {
    return 0
  }
}

function narrowScore(sample: Uint8Array, encoding: string, frequent: RegExp): number {
  const text = new TextDecoder(encoding).decode(sample)
  const others = countMatches(text, /[^\0-\x7f]/gu)
  if (others === 0) return 0
  const damaged = countMatches(text, /[\u0080-\u009f\ufffd]|\p{Ll}\p{Lu}/gu)
  return (countMatches(text, frequent) - damaged) / others
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
