/** A link by the byte of its target, and what it shows. */
const link =
  /<a\b[^<>]{0,200}?\bfilepos\s*=\s*["']?(\d{1,10})[^<>]{0,200}>([^<]{0,40}(?:<(?!\/a)[^<>]{0,100}>[^<]{0,40}){0,8})<\/a>/gi
const place = /\bfilepos\s*=\s*["']?(\d{1,10})["']?/gi
const maxShown = 12
const maxLinks = 200_000

/** The bytes of a text to which short links lead: marks of notes, and the ways back from these. */
export function shortLinkTargets(text: Buffer): Set<number> {
  const targets = new Set<number>()
  for (const [, position = '', inner = ''] of text.toString('latin1').matchAll(link)) {
    const shown = inner.replaceAll(/<[^<>]*>/g, '').trim()
    const at = Number(position)
    if (shown !== '' && shown.length <= maxShown && at < text.length && targets.size < maxLinks) targets.add(at)
  }
  return targets
}

/** The markup with addresses in place of the bytes to which its links lead, where `addressOf` knows one. */
export function withAddresses(markup: string, addressOf: (position: number) => string | null): string {
  return markup.replaceAll(place, (written, position: string) => {
    const address = addressOf(Number(position))
    return address === null ? written : `href="${address}"`
  })
}
