/** Replaces what differs from run to run (ids, times, the server's address) by names that stay, and back again. */
export interface Symbols {
  /** Names an id of the starting state. */
  name(id: string, symbol: string): void
  /** A result: ids that are not known yet are named by their order, all times are `{{time}}`. */
  hideResult<T>(value: T): T
  /** Arguments and answers: a time that some result gave is `{{time:n}}`, after the n-th time that results gave. */
  hide<T>(value: T): T
  /** What a recorded text or value is in this run. */
  fill<T>(value: T): T
}

const idShape = /(?<![a-z0-9])[a-z0-9]{26}(?![a-z0-9])/g
const timeShape = /\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?/g

export function createSymbols(baseUrl: string): Symbols {
  const symbols = new Map<string, string>()
  const values = new Map<string, string>()
  const times: string[] = []
  let unknown = 0
  function name(id: string, symbol: string): void {
    symbols.set(id, `{{${symbol}}}`)
    values.set(`{{${symbol}}}`, id)
  }
  const hideIds = (text: string) =>
    text.replaceAll(baseUrl, '{{base}}').replaceAll(idShape, (id) => symbols.get(id) ?? id)
  values.set('{{base}}', baseUrl)
  return {
    name,
    hideResult: (value) =>
      inTexts(value, (text) => {
        for (const [id] of text.matchAll(idShape)) if (!symbols.has(id)) name(id, `new:${++unknown}`)
        return (
          hideIds(text)
            // How long to wait goes by the clock.
            .replaceAll(/"retryAfterSeconds":\d+/g, '"retryAfterSeconds":"{{seconds}}"')
            .replaceAll(/\bretry in \d+s\b/g, 'retry in {{seconds}}s')
            .replaceAll(timeShape, (time) => {
              times.push(time)
              return '{{time}}'
            })
        )
      }),
    hide: (value) =>
      inTexts(value, (text) =>
        hideIds(text).replaceAll(timeShape, (time) =>
          times.includes(time) ? `{{time:${times.indexOf(time)}}}` : time,
        ),
      ),
    fill: (value) =>
      inTexts(value, (text) =>
        text
          .replaceAll(/\{\{time:(\d+)\}\}/g, (symbol, at: string) => times[Number(at)] ?? symbol)
          .replaceAll(/\{\{[a-z]+(?::[^{}]+)?\}\}/g, (symbol) => values.get(symbol) ?? symbol),
      ),
  }
}

function inTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((each) => inTexts(each, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inTexts(each, change)])) as T
}
