/** Scripts as Tesseract names them, with their languages: BCP 47 tag and Tesseract's name, most frequent first. */
const languagesByScript: ReadonlyMap<string, Record<string, string>> = new Map(
  Object.entries<Record<string, string>>({
    Latin: {
      en: 'eng',
      de: 'deu',
      fr: 'fra',
      es: 'spa',
      pt: 'por',
      it: 'ita',
      nl: 'nld',
      pl: 'pol',
      tr: 'tur',
      sv: 'swe',
      da: 'dan',
      nb: 'nor',
      no: 'nor',
      nn: 'nor',
      fi: 'fin',
      cs: 'ces',
      hu: 'hun',
      ro: 'ron',
      ca: 'cat',
      hr: 'hrv',
      sk: 'slk',
      sl: 'slv',
      lt: 'lit',
      lv: 'lav',
      et: 'est',
      id: 'ind',
      vi: 'vie',
      la: 'lat',
      eu: 'eus',
      gl: 'glg',
      ga: 'gle',
      cy: 'cym',
      is: 'isl',
      sq: 'sqi',
      eo: 'epo',
      af: 'afr',
      sw: 'swa',
      tl: 'fil',
      az: 'aze',
    },
    Cyrillic: { ru: 'rus', uk: 'ukr', bg: 'bul', sr: 'srp', mk: 'mkd', be: 'bel', kk: 'kaz' },
    Greek: { el: 'ell', grc: 'grc' },
    Arabic: { ar: 'ara', fa: 'fas', ur: 'urd' },
    Hebrew: { he: 'heb', yi: 'yid' },
    Han: { zh: 'chi_sim', 'zh-hant': 'chi_tra', 'zh-tw': 'chi_tra', 'zh-hk': 'chi_tra' },
    Japanese: { ja: 'jpn' },
    Korean: { ko: 'kor' },
    Hangul: { ko: 'kor' },
    Devanagari: { hi: 'hin', mr: 'mar', ne: 'nep', sa: 'san' },
    Bengali: { bn: 'ben' },
    Tamil: { ta: 'tam' },
    Telugu: { te: 'tel' },
    Thai: { th: 'tha' },
    Armenian: { hy: 'hye' },
    Georgian: { ka: 'kat' },
  }),
)

const nameByTag = new Map([...languagesByScript.values()].flatMap((languages) => Object.entries(languages)))

/**
 * Converts a BCP 47 tag to Tesseract's language name, such as `de-AT` to `deu`; null if Tesseract is not known to
 * support it.
 */
export function tesseractLanguage(tag: string | null): string | null {
  const [language = '', ...rest] = (tag ?? '').toLowerCase().replaceAll('_', '-').split('-')
  const exact = nameByTag.get([language, ...rest].join('-')) ?? nameByTag.get([language, rest[0]].join('-'))
  return exact ?? nameByTag.get(language) ?? null
}

/** Maximum number of languages that are tried on one page; each costs as much as reading it. */
const maxCandidates = 4

/**
 * The installed languages that a page may have, most frequent first: those of its script if it is known and one of them
 * is installed.
 */
export function candidateLanguages(installed: readonly string[], script: string | null): string[] {
  const inScript = Object.values(languagesByScript.get(script ?? '') ?? {})
  const known = [...new Set([...inScript, ...nameByTag.values()])].filter((name) => installed.includes(name))
  const fitting = known.filter((name) => inScript.includes(name))
  const others = installed.filter((name) => !known.includes(name))
  return (fitting.length > 0 ? fitting : [...known, ...others]).slice(0, maxCandidates)
}

/** True if a name is that of a language; Tesseract also lists its models for orientation and formulas. */
export function isLanguage(name: string): boolean {
  return /^[a-z]{3}(?:_[a-z]{1,8})*$/i.test(name) && name !== 'osd' && name !== 'equ'
}
