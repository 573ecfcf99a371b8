/** A link with the byte offset of its target and its displayed text. */
const link =
  /<a\b[^<>]{0,200}?\bfilepos\s*=\s*["']?(\d{1,10})[^<>]{0,200}>([^<]{0,40}(?:<(?!\/a)[^<>]{0,100}>[^<]{0,40}){0,8})<\/a>/gi
const place = /\bfilepos\s*=\s*["']?(\d{1,10})["']?/gi
const maxShown = 12
const maxLinks = 200_000

/** The byte offsets that short links refer to: note references and links back to them. */
export function shortLinkTargets(text: Buffer): Set<number> {
  const targets = new Set<number>()
  for (const [, position = '', inner = ''] of text.toString('latin1').matchAll(link)) {
    const shown = inner.replaceAll(/<[^<>]*>/g, '').trim()
    const at = Number(position)
    if (shown !== '' && shown.length <= maxShown && at < text.length && targets.size < maxLinks) targets.add(at)
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
