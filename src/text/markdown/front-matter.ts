const openingPattern = /^\uFEFF?---[ \t]*\r?\n(?![ \t]*\r?\n)/
const closingPattern = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm
const maxFrontMatterLength = 64 * 1024

/**
 * The offset after the front matter: a `---` line at the very start, not followed by a blank line, up to `---` or `...`
 * within 64 Ki UTF-16 units. 0 if there is none.
 */
export function frontMatterEnd(text: string): number {
  const start = openingPattern.exec(text)?.[0].length ?? 0
  if (start === 0) return 0
  const found = text
    .slice(start, start + maxFrontMatterLength)
    .matchAll(closingPattern)
    .next().value
  return found === undefined ? 0 : start + found.index + found[0].length
}

/** The fields of the front matter by lower-case name: YAML scalars, and lists joined by `, `. Omits nested maps. */
export function readFrontMatter(text: string): Map<string, string> {
  const lines = text.slice(0, frontMatterEnd(text)).split(/\r?\n/).slice(1, -2)
  const fields = new Map<string, string>()
  for (let index = 0; index < lines.length; index++) {
    const field = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(lines[index] ?? '')
    if (field === null) continue
    const continuation: string[] = []
    while (/^[ \t]|^-[ \t]|^$/.test(lines[index + 1] ?? '#')) continuation.push((lines[++index] ?? '').trim())
    const value = fieldValue((field[2] ?? '').trim(), continuation)
    if (value !== '') fields.set((field[1] ?? '').toLowerCase(), value)
  }
  return fields
}

function fieldValue(inline: string, continuation: readonly string[]): string {
  if (/^[|>][+-]?$/.test(inline)) return continuation.join(inline.startsWith('|') ? '\n' : ' ').trim()
  if (inline.startsWith('[') && inline.endsWith(']')) {
    return inline.slice(1, -1).split(',').map(unquote).filter(Boolean).join(', ')
  }
  if (inline !== '') return unquote([inline, ...continuation].join(' '))
  const entries = continuation.filter((line) => line.startsWith('- ')).map((line) => line.slice(2))
  return entries.map((entry) => unquote(entry.replace(/^name:[ \t]+/, ''))).join(', ')
}

function unquote(scalar: string): string {
  const value = scalar.trim()
  if (value.length > 1 && value.startsWith("'") && value.endsWith("'")) return value.slice(1, -1).replaceAll("''", "'")
  if (value.length > 1 && value.startsWith('"') && value.endsWith('"')) {
    return value.slice(1, -1).replace(/\\(["\\/])/g, '$1')
  }
  return value.replace(/[ \t]#.*$/, '').trim()
}
