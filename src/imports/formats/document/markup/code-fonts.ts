const codeFonts =
  /^(?:courier(?: new)?|consolas|menlo|monaco|inconsolata|lucida console|fira code|source code pro|.*\bmono(?:space|spaced)?\b.*)$/i

/** True if a font name is that of a typewriter font, which code listings use. */
export function isCodeFont(name: string): boolean {
  return codeFonts.test(name.replaceAll(/^['"]|['"]$/g, '').trim())
}

/**
 * Above this share of typewriter text, the whole text is a typescript, like many manuscripts, and the font does not
 * indicate code.
 */
const maxCodeShare = 0.8

/**
 * True if the whole text is in typewriter fonts. `named` matches the font or style names of text runs (in its first
 * group), `piece` matches every run.
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
