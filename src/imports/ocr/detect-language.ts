/**
 * The most frequent words of languages in Latin letters, by Tesseract's language name. A model for one of these
 * languages reads the others correctly except for accents.
 */
const commonWords: Record<string, string> = {
  eng: 'the of and to is that for with was as by this from be are which have',
  deu: 'der die und das den ist von mit nicht des ein eine sich auch dem wird als auf',
  fra: 'le les des et est une dans que pour qui du sur pas plus par avec ce sont',
  spa: 'el los las del una por con para como se lo su al más pero este y',
  por: 'o os do da dos das uma em não com para que ao mais são pelo e',
  ita: 'il di che la per non una della con gli nel sono alla dei è più anche',
  nld: 'het een van de dat niet zijn voor met ook aan wordt bij naar uit te',
  pol: 'nie się na jest że do to jak przez od po oraz dla ale był',
  swe: 'och att det som en på är av för med till den inte har om ett',
  dan: 'og det at en den til er som på de med for af ikke der et har',
  nor: 'og det at en den til er som på de med for av ikke har et',
  fin: 'ja on ei se että oli hän mutta kun joka ovat myös niin sen',
  ces: 'se na je že do to ve pro jako by ale nebo jeho po byl',
  hun: 'a az és hogy nem egy is meg ez volt csak mint már de',
  ron: 'și în de la cu nu pe este care un o din mai pentru sau',
  tur: 've bir bu için ile de da olarak daha çok olan gibi kadar',
  cat: 'els les del amb una per que és dels al com més seva hi',
}

const languagesOf = new Map<string, string[]>()
for (const [language, words] of Object.entries(commonWords))
  for (const word of words.split(' ')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language])

/** Minimum number of frequent words for detecting a language. */
const minHits = 4
/** Minimum ratio to the second-best language. */
const minLead = 1.4

/**
 * Detects the language of a text by its frequent words, among the given languages or all; null if the text is short, in
 * other letters, or similar to two languages.
 */
export function detectLanguage(text: string, among?: readonly string[]): string | null {
  const hits = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu))
    for (const language of languagesOf.get(word) ?? [])
      if (!among || among.includes(language)) hits.set(language, (hits.get(language) ?? 0) + 1)
  const [best, next] = [...hits].toSorted(([, a], [, b]) => b - a)
  if (!best || best[1] < minHits || best[1] < minLead * (next?.[1] ?? 0)) return null
  return best[0]
}
