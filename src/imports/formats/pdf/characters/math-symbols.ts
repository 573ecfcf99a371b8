import type { Character } from './character.ts'

/** Matches fonts of large symbols with the layout of TeX's cmex10. They contain no letters. */
const cmexFonts = /^(?:[A-Z]{6}\+)?(?:cmexb?|blex|lmmathextension|(?:px|tx)b?exs?)\d*(?:-regular)?$/i

/**
 * The meaning of the codes of cmex10, sixteen in a line: brackets in four sizes, pieces of taller brackets, operators
 * for inline and display formulas, wide accents, roots, arrows and braces (The TeXbook, appendix F).
 */
const cmexSymbols = Array.from(
  '()[]⌊⌋⌈⌉{}⟨⟩|‖/\\' +
    '()()[]⌊⌋⌈⌉{}⟨⟩' +
    '/\\()[]⌊⌋⌈⌉{}⟨⟩' +
    '/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭' +
    '⎨⎬⎪|⎝⎠⎜⎟⟨⟩⨆⨆∮∮⨀⨀' +
    '⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃' +
    '⋂⨄⋀⋁∐∐ˆˆˆ˜˜˜[]⌊⌋' +
    '⌈⌉{}√√√√√|√‖↑↓⏞⏞' +
    '⏟⏟⇑⇓',
)
/** A raw code of a font that contains no letters or digits. */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const asciiCode = /^[\u0000-\u001f0-9A-Za-z]$/

/** Matches fonts of the symbols that the American Mathematical Society added, with the layout of msam10. */
const msamFonts = /^(?:[A-Z]{6}\+)?(?:msam|(?:px|tx)b?sya)\d*$/i
/**
 * The meaning of the codes of msam10, sixteen in a line (The amsfonts package, `amssymb.sty`); a blank for unused
 * codes.
 */
const msamSymbols = Array.from(
  '⊡⊞⊠□■·◇◆↻↺⇌⇋⊟⊩⊪⊨' +
    '↠↞⇇⇉⇈⇊↾⇂↿⇃↣↢⇆⇄↰↱' +
    '⇝↭↫↬≗≿≳⪆⊸∴∵≑≜≾≲⪅' +
    '⪕⪖⋞⋟≼≦⩽≶‵ ≓≒≽≧⩾≷' +
    '⊏⊐▷◁⊵⊴★≬▼▶◀→←△▲▽' +
    '≖⋚⋛⪋⪌¥⇛⇚✓⊻⊼⩞∠∡∢∝' +
    '⌣⌢⋐⋑⋓⋒⋏⋎⋋⋌⫅⫆≏≎⋘⋙' +
    '⌜⌝®Ⓢ⋔∔∽⋍⌞⌟✠∁⊺⊚⊛⊝',
)
/** Matches fonts of the symbols of plain TeX, with the layout of cmsy10. */
const cmsyFonts = /^(?:[A-Z]{6}\+)?(?:cmb?sy|lmmathsymbols|(?:px|tx)b?sys?)\d*(?:-|$)/i
/** The meaning of the codes of cmsy10, sixteen in a line (The TeXbook, appendix F). */
const cmsySymbols = Array.from(
  '−·×∗÷⋄±∓⊕⊖⊗⊘⊙○∘•' +
    '≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻' +
    '←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝' +
    '′∞∈∋△▽̸↦∀∃¬∅ℜℑ⊤⊥' +
    'ℵABCDEFGHIJKLMNO' +
    'PQRSTUVWXYZ∪∩⊎∧∨' +
    '⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀' +
    '√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠',
)
/** The code of the minus sign in Type 1 versions of cmsy10 for programs that do not use code 0. */
const repeatedMinus = 0xa1
cmsySymbols[repeatedMinus] = '−'
/**
 * Raw codes of cmsy10 that are not among its symbols. It contains no lower-case letters. Some are left out, because
 * Ghostscript maps other symbols to them, such as ≤ and ≥ to f and g.
 */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const cmsyCode = /^[\u0000-!0-9a-ehi-kn-z\u00a1]$/
/**
 * Matches fonts of italic math letters with the layout of cmmi10. Engines know most of these letters by their glyph
 * names.
 */
const cmmiFonts = /^(?:[A-Z]{6}\+)?(?:cmmib?|lmmathitalic|(?:px|tx)b?mia?)\d*(?:-|$)/i
/** The meaning of the codes of cmmi10, sixteen in a line (The TeXbook, appendix F). */
const cmmiLetters = Array.from(
  'ΓΔΘΛΞΠΣΥΦΨΩαβγδϵ' +
    'ζηθικλμνξπρστυϕχ' +
    'ψωεϑϖϱςφ↼↽⇀⇁\u02bf\u02be▷◁' +
    '0123456789.,</>⋆' +
    '∂ABCDEFGHIJKLMNO' +
    'PQRSTUVWXYZ♭♮♯⌣⌢' +
    'ℓabcdefghijklmno' +
    'pqrstuvwxyzıȷ℘~⁀',
)
/** Raw codes of cmmi10 that are not among its letters and signs. */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const cmmiCode = /^[\u0000-':;=?@[-`{-}]$/
/** Matches icon fonts. Their codes represent pictures without a text equivalent. */
const iconFonts = /^(?:[A-Z]{6}\+)?(?:font-?awesome|academicons|typicons|material-?icons|simple-?icons)/i

/** The layout of a font of symbols, which gives its codes their meaning: that of a TeX font, or icons. */
export type SymbolFont = 'cmex' | 'cmsy' | 'msam' | 'cmmi' | 'icons'

/** Text that a font of each layout yields only if the engine has no mapping for it and returns the raw codes. */
const rawCodes: Readonly<Record<SymbolFont, RegExp>> = {
  cmex: asciiCode,
  cmsy: cmsyCode,
  // None of its symbols is in ASCII.
  // oxlint-disable-next-line no-control-regex -- codes of a font, not text
  msam: /^[\u0000-\u007e]$/,
  cmmi: cmmiCode,
  icons: asciiCode,
}
/** The symbols of each layout, by code. */
const symbolsByCode: Readonly<Record<SymbolFont, readonly string[]>> = {
  cmex: cmexSymbols,
  cmsy: cmsySymbols,
  msam: msamSymbols,
  cmmi: cmmiLetters,
  icons: [],
}

/** The layout of the font of symbols with this PostScript name; undefined for other fonts. */
export function symbolFontOf(postScriptName: string): SymbolFont | undefined {
  if (cmexFonts.test(postScriptName)) return 'cmex'
  if (cmsyFonts.test(postScriptName)) return 'cmsy'
  if (msamFonts.test(postScriptName)) return 'msam'
  if (cmmiFonts.test(postScriptName)) return 'cmmi'
  return iconFonts.test(postScriptName) ? 'icons' : undefined
}

/** The symbol for a lower-case letter that is a raw code of cmsy10, as the fallback engine returns it. */
export function cmsySymbolOf(text: string): string {
  return /^[a-z]$/.test(text) ? (cmsySymbols[text.charCodeAt(0)] ?? text) : text
}

/** Replaces raw codes of these `fonts` with the symbols that they represent, and removes icons. */
export function readMathSymbols(
  characters: readonly Character[],
  fonts: ReadonlyMap<string, SymbolFont>,
): readonly Character[] {
  if (fonts.size === 0) return characters
  const unmapped = new Set<string>()
  for (const { text, style } of characters) {
    const kind = fonts.get(style.font)
    if (kind !== undefined && rawCodes[kind].test(text)) unmapped.add(style.font)
  }
  if (unmapped.size === 0) return characters
  let afterIcon = false
  return characters.flatMap((character) => {
    const kind = unmapped.has(character.style.font) ? fonts.get(character.style.font) : undefined
    if (kind === 'icons' && character.text <= '\u00ff') {
      afterIcon ||= character.afterSpace
      return []
    }
    if ((kind === 'cmsy' || kind === 'cmmi') && !rawCodes[kind].test(character.text)) return [character]
    const table = kind === undefined ? [] : symbolsByCode[kind]
    const text = table[character.text.codePointAt(0) ?? 0]?.trim() || character.text
    const read = { ...character, text, afterSpace: character.afterSpace || afterIcon }
    afterIcon = false
    return [read]
  })
}
