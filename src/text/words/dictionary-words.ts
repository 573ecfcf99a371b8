const chineseOrJapanese = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/**
 * Creates a test for two neighbouring Chinese or Japanese characters: true if they belong to two different words, according to ICU's
 * dictionary, so that the pair means nothing. It is false for two words of one character each, which may be a name that the dictionary
 * lacks.
 */
export function crossesWords(text: string): (start: number, end: number) => boolean {
  if (!chineseOrJapanese.test(text)) return () => false
  const wordAt = new Int32Array(text.length)
  const lengths: number[] = []
  for (const { segment, index } of segmenter.segment(text)) {
    wordAt.fill(lengths.length, index, index + segment.length)
    lengths.push([...segment].length)
  }
  return (start, end) => {
    const [first, last] = [wordAt[start] as number, wordAt[end - 1] as number]
    return (
      first !== last && chineseOrJapanese.test(text.slice(start, end)) && !(lengths[first] === 1 && lengths[last] === 1)
    )
  }
}
