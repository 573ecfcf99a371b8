import type { FontFace } from './pdf-file.ts'

const bold = /bold|black|heavy|demi|(?:^|[-,_+])(?:bd|bx|hb)|^cm(?:b|ss?bx|csc.*b)|^sf(?:b|sx)|cmbx|[-_](?:b|bi|medi)$/i
const italic = /ital|obli|slant|kursiv|^cm(?:ti|sl|it|mi|bxti|bxsl)|^sf(?:ti|sl|it)|[-_](?:i|bi|it|ri)$/i
const mono =
  /mono|courier|typewriter|consol|menlo|fixed|terminal|inconsolata|source ?code|fira ?code|hack-|^cm(?:tt|sltt|itt|tcsc)|^sf(?:tt|st|it)t|^[lt]mtt|nimbusmon|^lmmono|^txtt|^pcr/i

/** What a PostScript font name says of its style; `family` is the generic family the engine chose (`monospace` counts). */
export function faceOf(name: string, family: string): Omit<FontFace, 'vertical'> {
  const plain = name.replace(/^[A-Z]{6}\+/, '')
  return {
    bold: bold.test(plain),
    italic: italic.test(plain),
    mono: family === 'monospace' || mono.test(plain),
  }
}
