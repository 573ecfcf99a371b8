import type { Character } from './character.ts'

/** Fonts of large signs, laid out as TeX's cmex10 is. They have no letters. */
const largeSigns = /^(?:[A-Z]{6}\+)?(?:cmexb?|(?:px|tx)b?exs?)\d*$/i

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

/** Whether a font of this PostScript name has the large signs of TeX. */
export function hasLargeSigns(postScriptName: string): boolean {
  return largeSigns.test(postScriptName)
}

/** The characters of a page with the signs that stand behind the codes of TeX's fonts of large signs, `fonts`. */
export function readMathSigns(characters: readonly Character[], fonts: ReadonlySet<string>): readonly Character[] {
  if (fonts.size === 0) return characters
  const unmapped = new Set<string>()
  for (const { text, style } of characters) if (fonts.has(style.font) && code.test(text)) unmapped.add(style.font)
  if (unmapped.size === 0) return characters
  return characters.map((character) => {
    if (!unmapped.has(character.style.font)) return character
    return { ...character, text: signs[character.text.codePointAt(0) ?? 0] ?? character.text }
  })
}
