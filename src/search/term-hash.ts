/**
 * A 32-bit hash of a term, stored in the index instead of the term. FNV-1a over UTF-16 units with the finaliser of
 * MurmurHash3, which spreads the upper bits evenly. About one library in a thousand has two terms with the same hash;
 * every snippet is checked against the text.
 */
export function termHash(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
