/** Replaces values that differ between runs (ids, times, the server's URL) with fixed names, and restores them. */
export interface Placeholders {
  /** Gives an id of the initial state a name. */
  define(id: string, symbol: string): void
  /** Replaces values of a result. Unknown ids are numbered in order, and all times become `{{time}}`. */
  maskResult<T>(value: T): T
  /**
   * Replaces values of arguments and answers. A time from a result becomes `{{time:n}}`, by its position among all
   * times in results.
   */
  mask<T>(value: T): T
  /** Restores the values of this run in a recorded text or value. */
  resolve<T>(value: T): T
}

const idPattern = /(?<![a-z0-9])[a-z0-9]{26}(?![a-z0-9])/g
const timePattern = /\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?/g

export function createPlaceholders(baseUrl: string): Placeholders {
  const symbols = new Map<string, string>()
  const values = new Map<string, string>()
  const times: string[] = []
  let unknownCount = 0
  function define(id: string, symbol: string): void {
    symbols.set(id, `{{${symbol}}}`)
    values.set(`{{${symbol}}}`, id)
  }
  const maskIds = (text: string) =>
    text.replaceAll(baseUrl, '{{base}}').replaceAll(idPattern, (id) => symbols.get(id) ?? id)
  values.set('{{base}}', baseUrl)
  return {
    define,
    maskResult: (value) =>
      mapTexts(value, (text) => {
        for (const [id] of text.matchAll(idPattern)) if (!symbols.has(id)) define(id, `new:${++unknownCount}`)
        return (
          maskIds(text)
            // The waiting time depends on the clock.
            .replaceAll(/"retryAfterSeconds":\d+/g, '"retryAfterSeconds":"{{seconds}}"')
            .replaceAll(/\bretry in \d+s\b/g, 'retry in {{seconds}}s')
            .replaceAll(timePattern, (time) => {
              times.push(time)
              return '{{time}}'
            })
        )
      }),
    mask: (value) =>
      mapTexts(value, (text) =>
        maskIds(text).replaceAll(timePattern, (time) =>
          times.includes(time) ? `{{time:${times.indexOf(time)}}}` : time,
        ),
      ),
    resolve: (value) =>
      mapTexts(value, (text) =>
        text
          .replaceAll(/\{\{time:(\d+)\}\}/g, (symbol, at: string) => times[Number(at)] ?? symbol)
          .replaceAll(/\{\{[a-z]+(?::[^{}]+)?\}\}/g, (symbol) => values.get(symbol) ?? symbol),
      ),
  }
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)])) as T
}
