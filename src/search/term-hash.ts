/**
 * A 32-bit hash of a term: what the index stores in its place. FNV-1a over UTF-16 units with the finaliser of MurmurHash3,
 * so that its upper bits are spread evenly too. Two terms of one library share a hash about once in a thousand libraries;
 * whatever is shown is checked against the text.
 */
export function termHash(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
