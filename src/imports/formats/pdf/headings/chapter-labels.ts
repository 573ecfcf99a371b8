const labelWords = new Set(
  [
    ['chapter', 'part', 'appendix', 'section', 'lecture', 'lesson', 'unit'],
    ['kapitel', 'teil', 'anhang', 'abschnitt', 'chapitre', 'partie', 'annexe'],
    ['capítulo', 'capitulo', 'parte', 'apéndice', 'apêndice', 'anexo', 'capitolo', 'appendice'],
    ['hoofdstuk', 'deel', 'bijlage', 'rozdział', 'część', 'kapitola', 'část', 'fejezet', 'kapittel', 'del', 'luku'],
    ['bölüm', 'глава', 'часть', 'приложение', 'розділ', 'частина', 'κεφάλαιο', 'chương'],
  ].flat(),
)
const numerals = new Set(
  [
    ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen'],
    ['fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
  ].flat(),
)
const number = /^(?:\d{1,3}|[ivxlc]{1,6}|[a-z])$/
const numberAlone = /^(?:\d{1,3}\.?|[ivxlc]{1,6})$/
const eastAsian = /^[第제]\s*[\p{N}〇一二三四五六七八九十百]{1,5}\s*[章节節部篇編回장절편부]$/u
/** A page number of a preface. */
const roman = /^(?=[ivxl])(?:x{0,3}|xl)(?:ix|iv|v?i{0,3})$/i

/**
 * Whether a line contains only the number of a chapter or part, whose title is below it: "Chapter 1", "PART II",
 * "Appendix A", "CHAPTER" above "ONE", "3", "第 1 章".
 */
export function isChapterLabel(text: string): boolean {
  if (eastAsian.test(text)) return true
  const [first = '', second, ...others] = text.toLowerCase().replace(/\.$/, '').split(/\s+/)
  if (others.length > 0) return false
  if (second === undefined) return labelWords.has(first) || numerals.has(first) || numberAlone.test(first)
  return labelWords.has(first) && (number.test(second) || numerals.has(second))
}

/** Whether a line contains only a Roman number below 50. */
export function isRomanNumber(text: string): boolean {
  return roman.test(text)
}
