/** The codes of the characters of an 8-bit encoding that differ from Latin-1, from 0x80 on. */
function codesOf(characters: string): ReadonlyMap<string, number> {
  return new Map([...characters].map((character, at) => [character, 0x80 + at]))
}

/** ISO 32000-1, D.2. */
const pdfDocEncoding = codesOf('•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\u009f€')
const windows1252 = codesOf('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ')

const decoder = new TextDecoder('utf-8', { fatal: true })
/** Characters that may be the bytes of UTF-8, with the letters beside them. */
const bytesOfUtf8 = /(\p{L}?)([\u00c2-\u00f4][^\0-\u007f]+)(?=(\p{L}?))/gu
/** The last letter of Latin Extended-A. Two characters such as `É»` are more likely correct than a letter beyond it. */
const lastCommonLetter = '\u017f'
const capitals = /^\p{Lu}/u

/**
 * Restores letters whose UTF-8 was read in an 8-bit encoding, as some programs write the titles of an outline:
 * `paramÃ¨tre` becomes `paramètre`. Returns any other text unchanged.
 */
export function undoDoubleEncoding(text: string): string {
  return text.replace(bytesOfUtf8, (written: string, ...groups: string[]) => {
    const [before = '', characters = '', after = ''] = groups
    const beside = [before, after].filter((letter) => letter !== '')
    for (const codes of [pdfDocEncoding, windows1252]) {
      const letters = decode(characters, codes)
      if (letters === null || (characters.length === 2 && letters > lastCommonLetter)) continue
      // If neither neighbour has the case of a letter, it was read in the other encoding, or is correct, as in «IRMÃ».
      const isCapital = capitals.test(letters)
      if (before === '' || beside.some((letter) => capitals.test(letter) === isCapital)) return before + letters
    }
    return written
  })
}

/** Decodes characters as the bytes that they have in an 8-bit encoding. Returns null if these are not UTF-8. */
function decode(characters: string, codes: ReadonlyMap<string, number>): string | null {
  const bytes = [...characters].map((character) => codes.get(character) ?? character.charCodeAt(0))
  if (bytes.some((byte) => byte > 0xff)) return null
  try {
    return decoder.decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}
