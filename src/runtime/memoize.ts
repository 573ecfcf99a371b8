/** What one of these holds in memory at most, in characters or bytes. */
const maxWeight = 16 * 1024 * 1024

/**
 * Remembers what a pure function made of the texts that it was given lately, so that a page that many readers ask for is
 * worked out once. A page in memory is one string, which keeps its hash: looking it up does not read it.
 */
export function memoize<Result extends string | number | object>(
  compute: (text: string) => Result,
): (text: string) => Result {
  // What was not asked for during a whole generation goes with the next one.
  let youngGeneration = new Map<string, Result>()
  let oldGeneration = new Map<string, Result>()
  let weight = 0
  return (text) => {
    const cached = youngGeneration.get(text)
    if (cached !== undefined) return cached
    const result = oldGeneration.get(text) ?? compute(text)
    youngGeneration.set(text, result)
    weight += estimateWeight(text, result)
    if (weight > maxWeight / 2) {
      oldGeneration = youngGeneration
      youngGeneration = new Map()
      weight = 0
    }
    return result
  }
}

/** A result that is the text itself takes no room of its own; an object about twice that of the bytes that it was made of. */
function estimateWeight(text: string, result: string | number | object): number {
  if (typeof result === 'object')
    return text.length + (result instanceof Uint8Array ? result.length : 2 * text.length) + 100
  return text.length + (typeof result === 'number' || result === text ? 0 : result.length) + 100
}
