/** Converts a string to capitals, for case-insensitive words; returns other values unchanged. */
export function upperCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase() : value
}
