/** Collects all values of an iterable. */
export async function collect<T>(values: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const value of values) collected.push(value)
  return collected
}
