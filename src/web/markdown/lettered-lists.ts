import type { Token } from 'markdown-it'

const lettered = /^\(?([a-z]{1,8})[.)]\s/i
const romanDigits: ReadonlyMap<string, number> = new Map(
  Object.entries({ i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1000 }),
)

/**
 * Marks the bulleted lists whose items begin with consecutive letters or Roman numerals, as importers write such lists.
 * They are shown without bullets.
 */
export function markLetteredLists(tokens: readonly Token[]): void {
  /** The starts of the items of each open list. */
  const open: { list: Token; signs: (string | null)[] }[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'bullet_list_open') open.push({ list: token, signs: [] })
    if (token.type === 'list_item_open' && open.at(-1)?.list.level === token.level - 1)
      open.at(-1)?.signs.push(signOf(tokens[at + 2]))
    if (token.type !== 'bullet_list_close') continue
    const { list, signs } = open.pop() as { list: Token; signs: (string | null)[] }
    if (isSequence(signs, letterValue) || isSequence(signs, romanValue)) list.attrJoin('class', 'lettered')
  }
}

function signOf(inline: Token | undefined): string | null {
  return inline?.type === 'inline' ? (lettered.exec(inline.content)?.[1] ?? null) : null
}

/** True if the labels are consecutive; a single one must be the first. */
function isSequence(signs: readonly (string | null)[], valueOf: (sign: string) => number): boolean {
  const values = signs.map((sign) => (sign === null ? 0 : valueOf(sign)))
  const [first = 0] = values
  return first > 0 && (values.length > 1 || first === 1) && values.every((value, index) => value === first + index)
}

/** a to z, then aa, bb and so on; 0 for any other text. */
function letterValue(sign: string): number {
  const [letter = '', ...others] = sign.toLowerCase()
  return others.every((other) => other === letter) ? letter.charCodeAt(0) - 96 + 26 * others.length : 0
}

function romanValue(sign: string): number {
  const digits = Array.from(sign.toLowerCase(), (digit) => romanDigits.get(digit) ?? 0)
  if (digits.includes(0)) return 0
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0)
}
