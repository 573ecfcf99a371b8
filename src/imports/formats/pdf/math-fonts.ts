/**
 * Fonts that only formulas use, by their PostScript names: those of TeX (Computer Modern and its descendants, the American
 * Mathematical Society, MathTime, Lucida, Fourier, MnSymbol) and OpenType fonts of mathematics, such as Cambria Math and STIX.
 */
const mathFonts =
  /^(?:cm(?:mi|mib|sy|bsy|bs|exb?|bex)\d|ms[ab]m\d|eu(?:f|s|r|ex)[mb]?\d|lmmath|rsfs|esint|wasy|stmary|bbm|dsrom|mtmi|mtsy|mtex|bl(?:mi|sy|ex)|mt-?extra|mathematicalpi|(?:px|tx)(?:b?(?:mi|sy|ex)|sy[abc]|mia|exa?)|rtxmi|zptmcm|lucida(?:new)?math|hlcm|hlcr|fourier-math|futm|mdput|mnsymbol|euclid(?:extra|symbol|math)|esstix|stix(?:size|integral|math|two-?math|nonuni)|rpxm|ntx(?:mi|sy|ex)|libertinusmath|xits-?math)|math(?!e(?:ma|us)|ilda|ias)/i

/** Whether a font of this PostScript name has the letters or signs of formulas. */
export function isMathFont(postScriptName: string): boolean {
  return mathFonts.test(postScriptName.replace(/^[A-Z]{6}\+/, ''))
}
