import { isUtf8 } from 'node:buffer'

/** How many bytes of a file are used to guess its encoding. */
const sampleBytes = 64 * 1024
/** The maximum share of damaged characters in a text that counts as UTF-8. */
const maxDamaged = 0.05

/** Multi-byte encodings, with letters that are frequent in their languages. */
const wide: readonly (readonly [encoding: string, frequent: RegExp])[] = [
  ['shift_jis', /[\u3040-\u30ff]|[日本人一大年出中生見]/gu],
  ['euc-jp', /[\u3040-\u30ff]|[日本人一大年出中生見]/gu],
  ['gb18030', /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出]/gu],
  ['big5', /[的一是不了在人有我他這個們中來上大為和國地到以說時要就出]/gu],
  ['euc-kr', /[이다는의에을를가한고하지도로은사기]/gu],
]

const western = /[éèàçùâêîôûëïüöäÄÖÜßñíóáúãõøåæœÅØÆÉÀÇ’‘“”–—…«»£§©°·½¼¿¡ºª]/gu
const central = /[ěščřžýáíéůúťďňąćęłńóśźżőűöüăâîşţŁŚŻŠČŘŽ„”“–]/gu
const cyrillic = /[оеаинтсрвлкмдпуяыгьбзчй]/gu

/** Single-byte encodings, with their frequent letters; on a tie the first one wins. */
const narrow: readonly (readonly [encoding: string, frequent: RegExp])[] = [
  ['windows-1252', western],
  ['windows-1251', /[оеаинтсрвлкмдпуяыгьбзчйі]/gu],
  ['koi8-r', cyrillic],
  ['windows-1250', central],
  ['iso-8859-2', central],
  ['windows-1254', /[ğışçöüİŞ’“”]/gu],
  ['windows-1253', /[αοιετσνηυρπκμλςάίόέήύώδγθ]/gu],
  ['windows-1255', /[\u05d0-\u05ea]/gu],
  ['windows-1256', /[اليمنرتبةعدسفهكوقحجشصطخذزضظغثءأإآپچژگ،؟]/gu],
  ['ibm866', cyrillic],
  ['macintosh', western],
]

/**
 * Decodes a text of unknown encoding: as UTF-8 if at most a few of its characters are damaged, which become U+FFFD;
 * otherwise in the encoding whose frequent letters occur most in 64 KiB from the first byte that is not ASCII.
 */
export function decodeUndeclared(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  const from = bytes.findIndex((byte) => byte > 127)
  return new TextDecoder(guessEncoding(bytes.subarray(from, from + sampleBytes))).decode(bytes)
}

function isNearlyUtf8(sample: Uint8Array): boolean {
  const text = new TextDecoder().decode(sample, { stream: true })
  return countMatches(text, /\ufffd/g) <= countMatches(text, /[^\0-\x7f]/g) * maxDamaged
}

function guessEncoding(sample: Uint8Array): string {
  if (isNearlyUtf8(sample)) return 'utf-8'
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

/** Characters that do not belong beside each other, or in a text at all. */
const damage =
  /[\u0080-\u009f\ufffd]|\p{Ll}\p{Lu}|[A-Za-z](?=[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}])|(?<=[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}])[A-Za-z]/gu

function narrowScore(sample: Uint8Array, encoding: string, frequent: RegExp): number {
  const text = new TextDecoder(encoding).decode(sample)
  const others = countMatches(text, /[^\0-\x7f]/gu)
  if (others === 0) return 0
  return (countMatches(text, frequent) - countMatches(text, damage)) / others
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
