/** A JSON object. */
export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Formats a value in one line; an object by its name. */
export function inline(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(inline).join(', ')
  if (isFields(value)) return oneLine(value['name'] ?? value['title'] ?? JSON.stringify(value))
  return oneLine(value)
}

export function oneLine(value: unknown): string {
  return clean(String(value)).replaceAll(/\s+/g, ' ')
}

/** Removes the control characters with which a text could move the cursor of a terminal. */
export function clean(text: string): string {
  return text.replaceAll(/[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv, '')
}
