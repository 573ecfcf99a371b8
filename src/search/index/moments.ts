let last = 0

/**
 * Returns a number greater than all earlier ones of this process. Of two requests to the store, the first was answered before the second
 * was sent if its number was taken after the answer, and is less than a number that was taken before the second.
 */
export function nextMoment(): number {
  return ++last
}
