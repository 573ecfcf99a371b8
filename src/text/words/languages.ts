import { functionWords } from './function-words.ts'

/** An ISO 639 code in lower case, such as `en` or `vi`. */
export type Language = string

/** The language that is assumed if it is unknown. */
export const defaultLanguage: Language = 'en'

const compounding: ReadonlySet<Language> = new Set([
  'af',
  'da',
  'de',
  'et',
  'fi',
  'fy',
  'hu',
  'is',
  'lb',
  'nl',
  'no',
  'sv',
])

/** True for a language that writes compounds as one word, such as German "Krankenversicherung". */
export function isCompounding(language: Language): boolean {
  return compounding.has(language)
}

const otherNames: ReadonlyMap<string, Language> = new Map(
  Object.entries({
    nb: 'no',
    nn: 'no',
    iw: 'he',
    in: 'id',
    mo: 'ro',
    eng: 'en',
    deu: 'de',
    ger: 'de',
    fra: 'fr',
    fre: 'fr',
    spa: 'es',
    ita: 'it',
    por: 'pt',
    nld: 'nl',
    dut: 'nl',
    swe: 'sv',
    dan: 'da',
    nor: 'no',
    nob: 'no',
    nno: 'no',
    fin: 'fi',
    hun: 'hu',
    ron: 'ro',
    rum: 'ro',
    tur: 'tr',
    pol: 'pl',
    ces: 'cs',
    cze: 'cs',
    vie: 'vi',
    ind: 'id',
    rus: 'ru',
    ukr: 'uk',
    bul: 'bg',
    srp: 'sr',
    ell: 'el',
    gre: 'el',
    ara: 'ar',
    fas: 'fa',
    per: 'fa',
    heb: 'he',
    hin: 'hi',
    nep: 'ne',
    tam: 'ta',
    tha: 'th',
    zho: 'zh',
    chi: 'zh',
    jpn: 'ja',
    kor: 'ko',
  }),
)

/** Returns the language of a BCP 47 tag, without script and region; null if the tag is invalid. */
export function languageOf(tag: string | null): Language | null {
  const name = /^[A-Za-z]{2,3}(?![A-Za-z])/.exec(tag ?? '')?.[0].toLowerCase()
  return name === undefined ? null : (otherNames.get(name) ?? name)
}

const none: ReadonlySet<string> = new Set()

/** Returns the folded function words of a language: its articles, prepositions, pronouns and auxiliary verbs. */
export function functionWordsOf(language: Language): ReadonlySet<string> {
  return functionWords.get(language) ?? none
}
