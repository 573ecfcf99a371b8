/**
 * A pattern for a value: a string, number, boolean or null that it equals; an expression that it matches; an array with
 * a pattern for each element; an object with patterns for these fields (further fields are allowed); or a function that
 * accepts it.
 */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | RegExp
  | readonly Pattern[]
  | { readonly [field: string]: Pattern }
  | ((value: unknown) => boolean)

/**
 * Returns whether a value matches a pattern. A regular expression is tested on the JSON of values that are not strings.
 */
export function matchesPattern(value: unknown, pattern: Pattern): boolean {
  if (typeof pattern === 'function') return pattern(value)
  if (pattern instanceof RegExp) return pattern.test(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && pattern.every((each) => value.some((element) => matchesPattern(element, each)))
  }
  if (typeof pattern === 'object' && pattern !== null) {
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(pattern).every(([field, each]) =>
      matchesPattern((value as Record<string, unknown>)[field], each),
    )
  }
  return value === pattern
}
