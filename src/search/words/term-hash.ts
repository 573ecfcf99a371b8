/**
 * Returns a 32-bit hash of a term, which the index stores instead of the term. It is FNV-1a over UTF-16 units with the finaliser of
 * MurmurHash3, which distributes the upper bits evenly. About one library in a thousand has two terms with the same hash. Every snippet is
 * checked against the text.
 */
export function termHash(term: string): number {
  let hash = hashStart
  for (let at = 0; at < term.length; at++) hash = addUnit(hash, term.charCodeAt(at))
  return finish(hash)
}

/** Returns the hash of `^` and the first `length` UTF-16 units of a word, without building the string. */
export function hashOfBeginning(word: string, length: number): number {
  const end = Math.min(length, word.length)
  let hash = addUnit(hashStart, 0x5e)
  for (let at = 0; at < end; at++) hash = addUnit(hash, word.charCodeAt(at))
  return finish(hash)
}

/** Returns the hash of the last `length` UTF-16 units of a word and `$`. */
export function hashOfEnd(word: string, length: number): number {
  let hash = hashStart
  for (let at = Math.max(0, word.length - length); at < word.length; at++) hash = addUnit(hash, word.charCodeAt(at))
  return finish(addUnit(hash, 0x24))
}

const hashStart = 0x811c9dc5

function addUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

function finish(units: number): number {
  let hash = Math.imul(units ^ (units >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
