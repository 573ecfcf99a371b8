const chineseOrJapanese = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
const kana = /[\p{sc=Hiragana}\p{sc=Katakana}]/u
/** Two characters within a Japanese compound, which is written in one script: `文字列関数`, `パッケージマネージャ`. */
const withinCompound = /^(?:\p{sc=Han}{2}|[\p{sc=Katakana}ー]{2})$/u
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })

/**
 * Creates a test for two neighbouring Chinese or Japanese characters: true if they belong to two different words, according to ICU's
 * dictionary, so that the pair means nothing. It is false for two words of one character each, which may be a name that the dictionary
 * lacks. In a Japanese text, which has kana, it is also false for two words of the same script: they are a compound, because hiragana
 * separate all other words.
 */
export function crossesWords(text: string): (start: number, end: number) => boolean {
  if (!chineseOrJapanese.test(text)) return () => false
  const isJapanese = kana.test(text)
  const wordAt = new Int32Array(text.length)
  const lengths: number[] = []
  for (const { segment, index } of segmenter.segment(text)) {
    wordAt.fill(lengths.length, index, index + segment.length)
    lengths.push([...segment].length)
  }
  return (start, end) => {
    const [first, last] = [wordAt[start] as number, wordAt[end - 1] as number]
    if (first === last || (lengths[first] === 1 && lengths[last] === 1)) return false
    const pair = text.slice(start, end)
    return chineseOrJapanese.test(pair) && !(isJapanese && withinCompound.test(pair))
  }
}
