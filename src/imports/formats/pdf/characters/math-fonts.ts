/**
 * PostScript names of fonts that are only used in formulas: TeX fonts (Computer Modern and its descendants, the
 * American Mathematical Society, MathTime, Lucida, Fourier, MnSymbol) and OpenType math fonts such as Cambria Math and
 * STIX.
 */
const mathFonts =
  /^(?:cm(?:mi|mib|sy|bsy|bs|exb?|bex)\d|ms[ab]m\d|eu(?:f|s|r|ex)[mb]?\d|lmmath|rsfs|esint|wasy|stmary|bbm|dsrom|mtmi|mtsy|mtex|bl(?:mi|sy|ex)|mt-?extra|mathematicalpi|(?:px|tx)(?:b?(?:mi|sy|ex)|sy[abc]|mia|exa?)|rtxmi|zptmcm|lucida(?:new)?math|hlcm|hlcr|fourier-math|futm|mdput|mnsymbol|euclid(?:extra|symbol|math)|esstix|stix(?:size|integral|math|two-?math|nonuni)|rpxm|ntx(?:mi|sy|ex)|libertinusmath|xits-?math)|math(?!e(?:ma|us)|ilda|ias)/i

/** Whether the font with this PostScript name is a math font. */
export function isMathFont(postScriptName: string): boolean {
  return mathFonts.test(postScriptName.replace(/^[A-Z]{6}\+/, ''))
}
