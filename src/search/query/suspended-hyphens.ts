/** "And" and "or" in languages that suspend the first part of a compound: German, Dutch, Scandinavian languages and Finnish. */
const conjunctions = new Set('und oder sowie bzw. beziehungsweise en of og eller och samt ja tai'.split(' '))
/** English suspends it only if the first part has a hyphen itself: "state-owned and -operated". */
const englishConjunctions = new Set(['and', 'or'])
const hyphenBeforeLetter = /^-\p{L}/u

/**
 * Returns the offsets of hyphens that stand for the first part of a compound word, as in "DNS-Auflösung und -Validierung" or
 * "Datenerfassung, -prüfung und -pflege". They exclude nothing. Takes time linear in the length of the text.
 */
export function findSuspendedHyphens(text: string): ReadonlySet<number> {
  const found = new Set<number>()
  if (!text.includes(' -')) return found
  const words = [...text.matchAll(/\S+/g)]
  const wordAt = (index: number) => words[index]?.[0] ?? ''
  // From the end, because the conjunction stands before the last part of a list.
  for (let index = words.length - 1; index > 0; index--) {
    if (!hyphenBeforeLetter.test(wordAt(index))) continue
    const isLast = isJoined(wordAt(index - 1), wordAt(index - 2))
    const next = words[wordAt(index).endsWith(',') ? index + 1 : index + 2]
    const isListed = wordAt(index - 1).endsWith(',') && next !== undefined && found.has(next.index)
    if (isLast || isListed) found.add(words[index]?.index ?? 0)
  }
  return found
}

/** True if `conjunction` joins a word with a suspended first part to `before`, the word that has this part. */
function isJoined(conjunction: string, before: string): boolean {
  if (before === '') return false
  return conjunctions.has(conjunction) || (englishConjunctions.has(conjunction) && /\p{L}-\p{L}/u.test(before))
}

const closingHyphen = /[^\s-]-\p{P}*$/u

/**
 * Returns the offsets of hyphens that open an aside, which a hyphen closes after its last word: "the prophet -peace be upon him- said". They
 * exclude nothing. Takes time linear in the length of the text.
 */
export function findAsides(text: string): ReadonlySet<number> {
  const found = new Set<number>()
  let isClosed = false
  for (const { 0: word, index } of [...text.matchAll(/\S+/g)].reverse()) {
    isClosed ||= closingHyphen.test(word)
    if (!isClosed || !hyphenBeforeLetter.test(word)) continue
    found.add(index)
    isClosed = false
  }
  return found
}
