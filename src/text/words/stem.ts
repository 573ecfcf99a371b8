/*
 * The Porter2 stemmer for English ("The English (Porter2) stemming algorithm", snowballstem.org). R1 and R2 are the
 * indexes at which the regions begin.
 */

const exceptions = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
)
const unchanged = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'])
const unchangedAfterPlural = /^(?:inning|outing|canning|herring|earring|proceed|exceed|succeed)$/
const regionExceptions = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/

/** Returns the stem of an English word in lower-case letters a to z. Words of one or two letters stay as they are. */
export function stem(word: string): string {
  if (word.length <= 2 || unchanged.has(word)) return word
  const exception = exceptions.get(word)
  if (exception !== undefined) return exception
  const marked = markConsonantY(word)
  const r1 = regionExceptions.exec(marked)?.[0].length ?? regionAfter(marked, 0)
  const r2 = regionAfter(marked, r1)
  const singular = dropPlural(marked)
  if (unchangedAfterPlural.test(singular)) return singular
  let stemmed = dropTense(singular, r1)
  if (/[^aeiouy][yY]$/.test(stemmed) && stemmed.length > 2) stemmed = `${stemmed.slice(0, -1)}i`
  stemmed = shortenDerivation(stemmed, r1)
  stemmed = shortenAdjective(stemmed, r1, r2)
  stemmed = dropSuffix(stemmed, r2)
  return dropFinal(stemmed, r1, r2).replaceAll('Y', 'y')
}

/** Marks a consonant `y` as `Y`. */
function markConsonantY(word: string): string {
  return word.includes('y') ? word.replace(/^y/, 'Y').replaceAll(/([aeiouy])y/g, '$1Y') : word
}

/** Returns the index after the first consonant that follows a vowel. */
function regionAfter(word: string, from: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(from))
  return found ? from + found.index + 2 : word.length
}

/** Step 1a. */
function dropPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1)
  if (/[us]s$/.test(word)) return word
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word
}

/** Step 1b. */
function dropTense(word: string, r1: number): string {
  const agreed = /eed(?:ly)?$/.exec(word)
  if (agreed) return agreed.index >= r1 ? `${word.slice(0, agreed.index)}ee` : word
  const tense = /(?:ed|edly|ing|ingly)$/.exec(word)
  const base = tense ? word.slice(0, tense.index) : ''
  if (!/[aeiouy]/.test(base)) return word
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`
  if (/^[aeo](?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(base)) return base
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(base)) return base.slice(0, -1)
  return r1 >= base.length && endsShort(base) ? `${base}e` : base
}

function endsShort(word: string): boolean {
  return /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|past)$/.test(word)
}

type Replacement = readonly [suffix: string, by: string]

const derivations: readonly Replacement[] = [
  ['ization', 'ize'],
  ['ogist', 'og'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
]

/** Step 2. */
function shortenDerivation(word: string, r1: number): string {
  const found = derivations.find(([suffix]) => word.endsWith(suffix))
  if (found) return replaceWithin(word, found, r1)
  if (word.endsWith('logi')) return word.length - 3 >= r1 ? word.slice(0, -1) : word
  return /[cdeghkmnrt]li$/.test(word) && word.length - 2 >= r1 ? word.slice(0, -2) : word
}

const adjectives: readonly Replacement[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

/** Step 3. */
function shortenAdjective(word: string, r1: number, r2: number): string {
  const found = adjectives.find(([suffix]) => word.endsWith(suffix))
  if (!found) return word
  return replaceWithin(word, found, found[0] === 'ative' ? Math.max(r1, r2) : r1)
}

function replaceWithin(word: string, [suffix, by]: Replacement, region: number): string {
  const at = word.length - suffix.length
  return at >= region ? word.slice(0, at) + by : word
}

/** Step 4. */
function dropSuffix(word: string, r2: number): string {
  const found = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic)$/.exec(word)
  if (!found || found.index < r2) return word
  return found[0] === 'ion' && !/[st]ion$/.test(word) ? word : word.slice(0, found.index)
}

/** Step 5. */
function dropFinal(word: string, r1: number, r2: number): string {
  const at = word.length - 1
  if (word.endsWith('e')) {
    const base = word.slice(0, -1)
    return at >= r2 || (at >= r1 && !endsShort(base)) ? base : word
  }
  return word.endsWith('ll') && at >= r2 ? word.slice(0, -1) : word
}
