/** A string in capitals, for words that are read in any case; other values as they are. */
export function upperCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase() : value
}
