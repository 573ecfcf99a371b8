import { symbolFontOf } from './math-symbols.ts'
import { isMathFont } from './math-fonts.ts'
import type { FontFace } from '../page/pdf-file.ts'

const boldPattern =
  /bold|black|heavy|demi|(?:^|[-,_+])(?:bd|bx|hb)|^cm(?:b|ss?bx|csc.*b)|^sf(?:b|sx)|cmbx|[-_](?:b|bi|medi)$/i
const italicPattern = /ital|obli|slant|kursiv|^cm(?:ti|sl|it|mi|bxti|bxsl)|^sf(?:ti|sl|it)|[-_](?:i|bi|it|ri)$/i
const monoPattern =
  /mono|courier|typewriter|consol|menlo|fixed|terminal|inconsolata|source ?code|fira ?code|hack-|^cm(?:tt|sltt|itt|tcsc)|^sf(?:tt|st|it)t|^[lt]mtt|nimbusmon|^lmmono|^txtt|^pcr/i

/** Fonts for text, symbols and small capitals that many files wrongly declare as monospaced. */
const proportionalPattern =
  /^cm(?:r|mi|mib|sy|bsy|bx|b|ti|bxti|sl(?!tt)|bxsl|ex|csc|ss|dunh|ff)\d|^sf(?:rm|bx|ti|sl|cc|ss|bi|bl)\d|^lm(?:roman|sans(?!typ)|math)|^ms[ab]m\d|^eu[fsr][mb]\d|(?:-|caps|small)(?:sc|osf|smcp)\b|smallcap|romancaps|oldstyle/i

/**
 * The style that a PostScript font name indicates. `family` is the generic family that the engine chose; `monospace` is
 * taken into account.
 */
export function parseFontFace(name: string, family: string): Omit<FontFace, 'vertical'> {
  const plain = name.replace(/^[A-Z]{6}\+/, '')
  return {
    bold: boldPattern.test(plain),
    italic: italicPattern.test(plain),
    mono: monoPattern.test(plain) || (family === 'monospace' && !proportionalPattern.test(plain)),
    ...(isMathFont(plain) ? { math: symbolFontOf(plain) === 'cmsy' ? 'cmsy' : 'other' } : {}),
  }
}
