/**
 * The encoding of the Symbol font from 0x21 and from 0xA0 (PDF 32000-1, annex D.5), mapped to the nearest Unicode
 * characters.
 */
const symbolLow = '!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼'
const symbolHigh =
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf8ff⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭'

/** Wingdings symbols that occur in texts; others are ornaments. */
const wingdings: Readonly<Record<number, string>> = {
  0x22: '✂',
  0x28: '☎',
  0x2a: '✉',
  0x4a: '☺',
  0x6c: '●',
  0x6e: '■',
  0x6f: '□',
  0x71: '❑',
  0x75: '◆',
  0x76: '❖',
  0xa7: '▪',
  0xa8: '☐',
  0xd8: '➢',
  0xdf: '←',
  0xe0: '→',
  0xe8: '➔',
  0xf0: '⇨',
  0xfb: '✗',
  0xfc: '✓',
  0xfd: '☒',
  0xfe: '☑',
}

/**
 * The Unicode character for a code of a symbol font. Codes are 0x21 to 0xFF, or the same in the private use area from
 * U+F021, which Word uses. Null for other fonts and if no character is similar.
 */
export function decodeSymbol(font: string, code: number): string | null {
  const place = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code
  if (/^wingdings$/i.test(font)) return wingdings[place] ?? null
  if (!/^symbol(?: ?mt)?$/i.test(font)) return null
  return (place < 0xa0 ? symbolLow[place - 0x21] : symbolHigh[place - 0xa0]) ?? null
}

/** Replaces the private-use codes of a text in a symbol font by Unicode characters. */
export function decodeSymbols(font: string, text: string): string {
  return text.replaceAll(/[\uf020-\uf0ff]/g, (code) => decodeSymbol(font, code.charCodeAt(0)) ?? code)
}
