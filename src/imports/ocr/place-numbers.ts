import type { Box } from '../formats/picture/ink-components.ts'
import type { CollagePart } from '../formats/picture/isolated-ink.ts'
import type { RecognisedParagraph, RecognisedWord } from './parse-words.ts'

/** Minimum confidence; less certain digits are bullets and parts of drawings. */
const minConfidence = 80
/** Also in brackets, as the numbers of formulas. */
const number = /^\p{P}*\p{N}{1,4}\p{P}*$/u

/**
 * The numbers among the words of a collage, each as a separate paragraph at its position on the page. A collage contains
 * each part twice: one that is not read as the same number twice is dropped.
 */
export function placeNumbers(
  collage: readonly RecognisedParagraph[],
  parts: readonly CollagePart[],
): RecognisedParagraph[] {
  const wordsOf = new Map<CollagePart, RecognisedWord[]>()
  for (const word of collage.flat(2)) {
    const [part, ...others] = parts.filter(({ to }) => overlap(to, word.box))
    if (part && others.length === 0) wordsOf.set(part, [...(wordsOf.get(part) ?? []), word])
  }
  return [...wordsOf].flatMap(([{ from }, words]) => {
    const twice = words.map(({ text }) => text).join('')
    const text = twice.slice(0, twice.length / 2)
    const confidence = Math.min(...words.map((word) => word.confidence))
    const isSure = confidence >= minConfidence && twice === text + text && number.test(text)
    return isSure ? [[[{ text, confidence, box: from }]]] : []
  })
}

/** True if two boxes share a pixel. */
export function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
