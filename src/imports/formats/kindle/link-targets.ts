/** A link with the byte offset of its target. */
const link = /<a\b[^<>]{0,500}?\bfilepos\s*=\s*["']?(\d{1,10})/gi
const place = /\bfilepos\s*=\s*["']?(\d{1,10})["']?/gi
const maxLinks = 200_000

/** The byte offsets that links refer to. */
export function linkTargets(text: Buffer): Set<number> {
  const targets = new Set<number>()
  for (const [, position] of text.toString('latin1').matchAll(link)) {
    const at = Number(position)
    if (at < text.length && targets.size < maxLinks) targets.add(at)
  }
  return targets
}

/** Replaces the byte offsets in links by addresses, if `addressOf` knows one. */
export function withAddresses(markup: string, addressOf: (position: number) => string | null): string {
  return markup.replaceAll(place, (written, position: string) => {
    const address = addressOf(Number(position))
    return address === null ? written : `href="${address}"`
  })
}
