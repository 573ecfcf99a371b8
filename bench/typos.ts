import { randomFrom } from './search-queries.ts'

const minLength = 5
const letters = /^[\p{L}\p{M}]+$/u

/** A question with one typing error in one of its longer words; deterministic. */
export function withTypo(question: string): string {
  const words = question.split(/([\p{L}\p{M}\p{N}]+)/u)
  const long = words.flatMap((word, at) => (letters.test(word) && word.length >= minLength ? [at] : []))
  if (long.length === 0) return question
  const random = randomFrom(
    [...question].reduce((seed, each) => (seed * 31 + (each.codePointAt(0) ?? 0)) % 2147483647, 7),
  )
  const at = long[Math.floor(random() * long.length)] as number
  words[at] = mistype(words[at] as string, random)
  return words.join('')
}

/**
 * Applies one of these errors with equal probability: a letter omitted, doubled, swapped with the next one, or replaced
 * by another one of the word.
 */
function mistype(word: string, random: () => number): string {
  const characters = [...word]
  const kind = Math.floor(random() * 4)
  for (let tries = 0; tries < 20; tries++) {
    const at = Math.floor(random() * characters.length)
    const [before, here, next, after] = [
      characters.slice(0, at).join(''),
      characters[at] as string,
      characters[at + 1] ?? '',
      characters.slice(at + 2).join(''),
    ]
    const other = characters[Math.floor(random() * characters.length)] as string
    const wrong = [
      before + next + after,
      before + here + here + next + after,
      before + next + here + after,
      before + other.toLowerCase() + next + after,
    ][kind] as string
    if (wrong !== word) return wrong
  }
  return word.slice(1)
}
