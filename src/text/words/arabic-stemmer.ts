const prefixes = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل']
const suffixes = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي']
const conjunction = 'و'
/** The minimum number of letters that remain. A single letter before fewer than three others belongs to the root. */
const [minStemLength, minAfterConjunction] = [2, 3]

/**
 * Returns the stem of a folded Arabic word without conjunctions, articles, and endings of gender, number and possession: `كتاب` for `والكتاب`
 * and `الكتاب`. This is the light stemmer of Larkey, Ballesteros and Connell ("Light Stemming for Arabic Information Retrieval", 2007).
 */
export function stemArabic(word: string): string {
  let stem = withoutPrefix(word.replaceAll('ى', 'ي').replaceAll('ة', 'ه'))
  for (const suffix of suffixes)
    if (stem.endsWith(suffix) && stem.length - suffix.length >= minStemLength) stem = stem.slice(0, -suffix.length)
  return stem
}

function withoutPrefix(word: string): string {
  const prefix = prefixes.find((each) => word.startsWith(each) && word.length - each.length >= minStemLength)
  if (prefix !== undefined) return word.slice(prefix.length)
  return word.startsWith(conjunction) && word.length > minAfterConjunction ? word.slice(1) : word
}
