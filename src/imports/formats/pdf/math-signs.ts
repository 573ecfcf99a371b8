import type { Character } from './character.ts'

/** Fonts of large symbols with the layout of TeX's cmex10. They contain no letters. */
const largeSigns = /^(?:[A-Z]{6}\+)?(?:cmexb?|blex|lmmathextension|(?:px|tx)b?exs?)\d*(?:-regular)?$/i

/**
 * The meaning of the codes of cmex10, sixteen in a line: brackets in four sizes, pieces of taller brackets, operators
 * for inline and display formulas, wide accents, roots, arrows and braces (The TeXbook, appendix F).
 */
const signs = Array.from(
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
/** Text that such a font yields only if the engine has no mapping for it and returns the raw codes. */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const code = /^[\u0000-\u001f0-9A-Za-z]$/

/** Fonts of the symbols that the American Mathematical Society added, with the layout of msam10. */
const furtherSigns = /^(?:[A-Z]{6}\+)?(?:msam|(?:px|tx)b?sya)\d*$/i
/**
 * The meaning of the codes of msam10, sixteen in a line (The amsfonts package, `amssymb.sty`); a blank for unused
 * codes.
 */
const amsSigns = Array.from(
  '⊡⊞⊠□■·◇◆↻↺⇌⇋⊟⊩⊪⊨' +
    '↠↞⇇⇉⇈⇊↾⇂↿⇃↣↢⇆⇄↰↱' +
    '⇝↭↫↬≗≿≳⪆⊸∴∵≑≜≾≲⪅' +
    '⪕⪖⋞⋟≼≦⩽≶‵ ≓≒≽≧⩾≷' +
    '⊏⊐▷◁⊵⊴★≬▼▶◀→←△▲▽' +
    '≖⋚⋛⪋⪌¥⇛⇚✓⊻⊼⩞∠∡∢∝' +
    '⌣⌢⋐⋑⋓⋒⋏⋎⋋⋌⫅⫆≏≎⋘⋙' +
    '⌜⌝®Ⓢ⋔∔∽⋍⌞⌟✠∁⊺⊚⊛⊝',
)
/** Fonts of the symbols of plain TeX, with the layout of cmsy10. */
const plainSigns = /^(?:[A-Z]{6}\+)?(?:cmb?sy|lmmathsymbols|(?:px|tx)b?sys?)\d*(?:-|$)/i
/** The meaning of the codes of cmsy10, sixteen in a line (The TeXbook, appendix F). */
const symbols = Array.from(
  '−·×∗÷⋄±∓⊕⊖⊗⊘⊙○∘•' +
    '≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻' +
    '←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝' +
    '′∞∈∋△▽̸↦∀∃¬∅ℜℑ⊤⊥' +
    'ℵABCDEFGHIJKLMNO' +
    'PQRSTUVWXYZ∪∩⊎∧∨' +
    '⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀' +
    '√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠',
)
/**
 * Raw codes of cmsy10 that are not among its symbols. Lower-case letters are ambiguous and only mapped in formulas
 * (`plainSignOf`).
 */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const symbolCode = /^[\u0000-\u001f!0-9]$/
/** Fonts of italic math letters with the layout of cmmi10. Engines know most of these letters by their glyph names. */
const slantedLetters = /^(?:[A-Z]{6}\+)?(?:cmmib?|lmmathitalic|(?:px|tx)b?mia?)\d*(?:-|$)/i
/** The meaning of the first codes of cmmi10 (The TeXbook, appendix F). */
const greek = Array.from('ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχ')
/** Icon fonts. Their codes represent pictures without a text equivalent. */
const icons = /^(?:[A-Z]{6}\+)?(?:font-?awesome|academicons|typicons|material-?icons|simple-?icons)/i

/**
 * The kind of symbols in a font: TeX's large symbols, plain TeX symbols, further AMS symbols, math letters, or icons.
 */
export type SignFont = 'large' | 'plain' | 'further' | 'letters' | 'icons'

/** Text that a font of each kind yields only if the engine has no mapping for it and returns the raw codes. */
const codes: Readonly<Record<SignFont, RegExp>> = {
  large: code,
  plain: symbolCode,
  // None of its symbols is in ASCII.
  // oxlint-disable-next-line no-control-regex -- codes of a font, not text
  further: /^[\u0000-\u007e]$/,
  // oxlint-disable-next-line no-control-regex -- codes of a font, not text
  letters: /^[\u0000-\u001f]$/,
  icons: code,
}
const tables: Readonly<Record<SignFont, readonly string[]>> = {
  large: signs,
  plain: symbols,
  further: amsSigns,
  letters: greek,
  icons: [],
}

/** The kind of symbols in the font with this PostScript name; undefined for other fonts. */
export function signFontOf(postScriptName: string): SignFont | undefined {
  if (largeSigns.test(postScriptName)) return 'large'
  if (plainSigns.test(postScriptName)) return 'plain'
  if (furtherSigns.test(postScriptName)) return 'further'
  if (slantedLetters.test(postScriptName)) return 'letters'
  return icons.test(postScriptName) ? 'icons' : undefined
}

/** The symbol for a code of a font with the layout of cmsy10. Any other text is returned unchanged. */
export function plainSignOf(text: string): string {
  return /^[a-z]$/.test(text) ? (symbols[text.charCodeAt(0)] ?? text) : text
}

/** Replaces raw codes of these `fonts` with the symbols that they represent, and removes icons. */
export function readMathSigns(
  characters: readonly Character[],
  fonts: ReadonlyMap<string, SignFont>,
): readonly Character[] {
  if (fonts.size === 0) return characters
  const unmapped = new Set<string>()
  for (const { text, style } of characters) {
    const kind = fonts.get(style.font)
    if (kind !== undefined && codes[kind].test(text)) unmapped.add(style.font)
  }
  if (unmapped.size === 0) return characters
  let afterIcon = false
  return characters.flatMap((character) => {
    const kind = unmapped.has(character.style.font) ? fonts.get(character.style.font) : undefined
    if (kind === 'icons' && character.text <= '\u00ff') {
      afterIcon ||= character.afterSpace
      return []
    }
    if ((kind === 'plain' || kind === 'letters') && !codes[kind].test(character.text)) return [character]
    const table = kind === undefined ? [] : tables[kind]
    const text = table[character.text.codePointAt(0) ?? 0]?.trim() || character.text
    const read = { ...character, text, afterSpace: character.afterSpace || afterIcon }
    afterIcon = false
    return [read]
  })
}
