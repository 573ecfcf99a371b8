/** The texts of the glyphs of a font by their numbers. */
export interface GlyphOrder {
  /** The number of the space. */
  space: number
  texts: ReadonlyMap<number, string>
}

/** The number of the space in Microsoft's fonts. */
const microsoftSpace = 3
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))
/**
 * The glyphs of Microsoft's fonts after those of ASCII: those of Macintosh fonts (Apple's TrueType Reference Manual, 'post'
 * table) without the no-break space.
 */
const microsoftGlyphs = [
  ...'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›',
  'fi',
  'fl',
  ...'‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ',
]
/**
 * The glyphs of Calibri, which are in the order of the alphabet: a letter is followed by its forms with a grave, an acute, a
 * circumflex, a tilde and a dieresis. The letters are those of the maps of real files. The accents follow from texts in three languages
 * and from this order; glyphs without such evidence are left out.
 */
const calibriGlyphs: readonly (readonly [first: number, texts: Iterable<string>])[] = [
  [0x04, 'AÀÁÂÃÄ'],
  [0x11, 'BC'],
  [0x17, 'ÇD'],
  [0x1c, 'EÈÉÊẼË'],
  [0x26, 'FG'],
  [0x2c, 'H'],
  [0x2f, 'IÌÍÎĨÏ'],
  [0x3a, 'J'],
  [0x3c, 'K'],
  [0x3e, 'L'],
  [0x44, 'MN'],
  [0x4b, 'OÒÓÔÕÖ'],
  [0x57, 'P'],
  [0x59, 'QR'],
  [0x5e, 'S'],
  [0x64, 'T'],
  [0x68, 'UÙÚÛŨÜ'],
  [0x73, 'VW'],
  [0x79, 'XY'],
  [0x7f, 'Z'],
  [0x102, 'aàáâãä'],
  [0x10a, 'å'],
  [0x10f, 'bc'],
  [0x115, 'ç'],
  [0x11a, 'd'],
  [0x11e, 'eèéêẽë'],
  [0x128, 'f'],
  [0x12b, ['ff']],
  [0x12e, ['fi']],
  [0x138, ['ffi']],
  [0x147, ['fl']],
  [0x14c, ['ft']],
  [0x150, 'g'],
  [0x15a, 'h'],
  [0x15d, 'iìíîĩï'],
  [0x169, 'j'],
  [0x16c, 'k'],
  [0x16f, 'l'],
  [0x175, 'mn'],
  [0x17d, 'oòóôõö'],
  [0x189, 'p'],
  [0x18b, 'qr'],
  [0x190, 's'],
  [0x19a, 't'],
  [0x19e, ['tf', 'ti']],
  [0x1a9, ['tt']],
  [0x1ab, ['tti']],
  [0x1b5, 'uùúûũü'],
  [0x1c0, 'vw'],
  [0x1c6, 'xy'],
  [0x1cc, 'z'],
  [0x34a, '!'],
  [0x34d, '?'],
  [0x355, ',;:.…‘’'],
  [0x35e, '“”'],
  [0x36c, '/'],
  [0x36e, '|'],
  [0x372, '-'],
  [0x374, '–'],
  [0x376, '—'],
  [0x37a, '_•'],
  [0x37e, '()[]{}'],
  [0x39b, '@'],
  [0x39e, '©'],
  [0x3ec, '0123456789'],
  [0x439, '%'],
  [0x43d, '+'],
]

/** The orders of fonts whose first glyphs are those of ASCII. */
export const asciiOrders: readonly GlyphOrder[] = [1, 2, microsoftSpace].map((space) => ({
  space,
  texts: numbered([[space, ascii]]),
}))
export const microsoftOrder: GlyphOrder = {
  space: microsoftSpace,
  texts: numbered([[microsoftSpace, [...ascii, ...microsoftGlyphs]]]),
}
export const calibriOrder: GlyphOrder = {
  space: microsoftSpace,
  texts: numbered([[microsoftSpace, ' '], ...calibriGlyphs]),
}

function numbered(rows: readonly (readonly [first: number, texts: Iterable<string>])[]): Map<number, string> {
  return new Map(rows.flatMap(([first, texts]) => Array.from(texts, (text, index) => [first + index, text] as const)))
}
