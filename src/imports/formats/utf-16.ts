/** The share of zero bytes in Latin text, with a few other signs. */
const minZeros = 0.4
/** How many bytes show the encoding of a text without a byte order mark. */
const sampleBytes = 1024
/** Characters that no text contains: controls, and code points that are not assigned or private. */
const improbable = /(?![\t\n\r\f])[\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd]/u

/**
 * The byte order of a text in UTF-16, by its byte order mark or by the zero bytes of its spaces, line breaks and Latin
 * letters; null for other files.
 */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, sampleBytes)
  if (bytes.length % 2 !== 0 || !sample.includes(0) || isDamagedAscii(sample)) return null
  return (['utf-16le', 'utf-16be'] as const).find((encoding) => isText(sample, encoding)) ?? null
}

/** Whether a text in ASCII has some zero bytes, instead of one in every character. */
function isDamagedAscii(sample: Uint8Array): boolean {
  const zeros = sample.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0)
  return zeros < sample.length * minZeros && sample.every((byte) => byte === 0 || (byte > 8 && byte < 127))
}

function isText(sample: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(sample.subarray(0, sample.length & ~1), { stream: true })
  return !improbable.test(text) && /[\n -~]/.test(text)
}
