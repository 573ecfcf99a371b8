import type { Character } from './character.ts'

/** Fonts of large signs, laid out as TeX's cmex10 is. They have no letters. */
const largeSigns = /^(?:[A-Z]{6}\+)?(?:cmexb?|blex|lmmathextension|(?:px|tx)b?exs?)\d*(?:-regular)?$/i

/**
 * What the codes of cmex10 stand for, sixteen in a line: brackets in four sizes, parts of taller brackets, operators for
 * running text and for displays, wide accents, roots, arrows and braces (The TeXbook, appendix F).
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
/** What such a font gives only if the engine knows no meaning of its codes and gives the codes. */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const code = /^[\u0000-\u001f0-9A-Za-z]$/

/** Fonts of the signs that the American Mathematical Society added, laid out as msam10 is. */
const furtherSigns = /^(?:[A-Z]{6}\+)?(?:msam|(?:px|tx)b?sya)\d*$/i
/** What the codes of msam10 stand for, sixteen in a line (The amsfonts package, `amssymb.sty`); a blank where there is none. */
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
/** Fonts of the signs of plain TeX, laid out as cmsy10 is. */
const plainSigns = /^(?:[A-Z]{6}\+)?(?:cmb?sy|lmmathsymbols|(?:px|tx)b?sys?)\d*(?:-|$)/i
/** What the codes of cmsy10 stand for, sixteen in a line (The TeXbook, appendix F). */
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
/** Codes of cmsy10 that are none of its signs. Those of its lower-case letters are read in formulas only (`plainSignOf`). */
// oxlint-disable-next-line no-control-regex -- codes of a font, not text
const symbolCode = /^[\u0000-\u001f!0-9]$/
/** Fonts of slanted letters for mathematics, laid out as cmmi10 is. Engines know most of their letters by name. */
const slantedLetters = /^(?:[A-Z]{6}\+)?(?:cmmib?|lmmathitalic|(?:px|tx)b?mia?)\d*(?:-|$)/i
/** What the first codes of cmmi10 stand for (The TeXbook, appendix F). */
const greek = Array.from('ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχ')
/** Fonts of icons. Their codes stand for pictures that have no letter. */
const icons = /^(?:[A-Z]{6}\+)?(?:font-?awesome|academicons|typicons|material-?icons|simple-?icons)/i

/** What stands behind the codes of a font: TeX's large signs, those of plain TeX, further signs or letters of mathematics, or icons. */
export type SignFont = 'large' | 'plain' | 'further' | 'letters' | 'icons'

/** What a font of each kind gives only if the engine knows no meaning of its codes and gives the codes. */
const codes: Readonly<Record<SignFont, RegExp>> = {
  large: code,
  plain: symbolCode,
  // None of its signs is one of ASCII.
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

/** The signs that a font of this PostScript name has; undefined for letters. */
export function signFontOf(postScriptName: string): SignFont | undefined {
  if (largeSigns.test(postScriptName)) return 'large'
  if (plainSigns.test(postScriptName)) return 'plain'
  if (furtherSigns.test(postScriptName)) return 'further'
  if (slantedLetters.test(postScriptName)) return 'letters'
  return icons.test(postScriptName) ? 'icons' : undefined
}

/** The sign behind a code of a font that is laid out as cmsy10 is; what is no code stays. */
export function plainSignOf(text: string): string {
  return /^[a-z]$/.test(text) ? (symbols[text.charCodeAt(0)] ?? text) : text
}

/** The characters of a page with the signs that stand behind the codes of such `fonts`, and without icons. */
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
