const codeFonts =
  /^(?:courier(?: new)?|consolas|menlo|monaco|inconsolata|lucida console|fira code|source code pro|.*\bmono(?:space|spaced)?\b.*)$/i

/** Whether a font, by its name, is one of typewriters, in which listings are set. */
export function isCodeFont(name: string): boolean {
  return codeFonts.test(name.replaceAll(/^['"]|['"]$/g, '').trim())
}

/** Above this share of its pieces a text is typed as a whole, as manuscripts are, and such a font says nothing. */
const maxCodeShare = 0.8

/**
 * Whether a text is typed as a whole: `named` finds the names (of fonts or styles, in its first group) that pieces of the text have, and
 * `piece` every piece.
 */
export function isTyped(
  source: string,
  { named, piece, isCode }: { named: RegExp; piece: RegExp; isCode: (name: string) => boolean },
): boolean {
  const uses = new Map<string, number>()
  for (const [, name = ''] of source.matchAll(named)) uses.set(name, (uses.get(name) ?? 0) + 1)
  let typed = 0
  for (const [name, count] of uses) if (isCode(name)) typed += count
  if (typed === 0) return false
  let pieces = 0
  for (const _ of source.matchAll(piece)) pieces++
  return typed > maxCodeShare * pieces
}
