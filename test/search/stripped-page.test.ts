import { expect, test } from 'vitest'
import {
  createStrippedPages,
  occurrencesOn,
  searchWords,
  stripPage,
  wordsOn,
} from '../../src/search/passages/stripped-page.ts'
import type { Occurrence } from '../../src/search/passages/excerpt.ts'
import { parseQuery } from '../../src/search/query/parse-query.ts'
import { createWordFinder } from '../../src/search/query/query-words.ts'
import { stripMarkdown } from '../../src/search/words/strip-markdown.ts'
import { createWordFilter } from '../../src/search/passages/word-filter.ts'
import { createSpellingSkip, createWordSkip } from '../../src/search/passages/word-skip.ts'
import { finishSteps } from '../../src/runtime/turns.ts'
import { analyse } from '../../src/text/words/analyse.ts'
import { functionWords } from '../../src/text/words/function-words.ts'
import { fold } from '../../src/text/words/fold.ts'
import { takeUnits } from '../../src/text/words/scan-words.ts'
import { latinStemmers } from '../../src/text/words/stemmers.ts'
import { hasNoAsciiTerms, termsOf } from '../../src/text/words/terms.ts'

/** Returns the occurrences of a query's words when every word of the text is looked up. */
function occurrencesInText(
  markdown: string,
  query: ReturnType<typeof parseQuery>,
  find = createWordFinder(query),
): Occurrence[] {
  const found: Occurrence[] = []
  analyse(stripMarkdown(markdown).text, (token) => {
    const concept = find(token)
    const { start, end, position } = token
    if (concept !== undefined) found.push({ start, end, concept, position })
  })
  return found.sort((a, b) => a.start - b.start)
}

function occurrencesOf(markdown: string, query: ReturnType<typeof parseQuery>): Occurrence[] {
  return finishSteps(occurrencesOn(finishSteps(stripPage(markdown)), searchWords(query)))
}

const withoutPositions = (occurrences: readonly Occurrence[]) =>
  occurrences.map(({ start, end, concept }) => ({ start, end, concept }))

const texts: [markdown: string, query: string][] = [
  ['# Mail\n\nAn e-mail is an email; e mail is none. Mails, mailing and mailed.', 'e-mail mail'],
  ['The U.S.A. and the USA, .NET and net, 1,000 and 1000, 3.11 and 3 11.', 'usa .net 1000 3.11'],
  ['`getUserById` gets a user by its id, and getUser does not.', 'user getUserById id'],
  ['Häuser und Haus, Übergröße und Ubergrosse.', 'häuser Übergröße'],
  ['漢字かな交じり文。漢字は漢の字。', '漢字 文'],
  ['ภาษาไทยและภาษาอังกฤษ ภาษา', 'ภาษา ไทย'],
  ['Корабли и корабль, кораблю навстречу.', 'корабль'],
  ['A sceptic is a skeptic; lying and a lie, a tyre and tires.', 'sceptic lie tire'],
  [
    "The file-system, a filesystem; O'Reilly and oreilly, R & D or rd, I/O and io, node.js, nodejs.",
    'filesystem oreilly rd io nodejs',
  ],
  ['An end.And then the other end. And then.', 'and then'],
  ["The 'ship', ship's -ship and ./ship, v8ship, ship8; don't ship-it. Ships.", 'ship dont it'],
  ['Jako & I’करना, jako & i.', 'jakoi jako'],
  ['v1.2 and V1.2, H2O, h2o; c3po-c3po 3d 2nd #3d +3d.', '1.2 h2o c3po 3d'],
  ['École et ecole, l’été, möglichst moglich; Æther, weiß.', 'école été möglich aether weiss'],
]

test.for(texts)('the words of a query are found in %s at their places', ([markdown, text]) => {
  const query = parseQuery(text, ['en', 'de', 'ru'])
  const expected = occurrencesInText(markdown, query)
  expect(expected.length).toBeGreaterThan(1)
  expect(withoutPositions(occurrencesOf(markdown, query))).toEqual(withoutPositions(expected))
})

test.for(texts)('the words of a query with a phrase are found in %s at their exact positions', ([markdown, text]) => {
  const query = parseQuery(`"whale ship" ${text}`, ['en', 'de', 'ru'])
  expect(createWordFilter(query)).toBeNull()
  expect(occurrencesOf(markdown, query)).toEqual(occurrencesInText(markdown, query))
})

/** Function words, with endings that stemmers remove. */
const words = [...functionWords.values()]
  .flatMap((each) => [...each])
  .concat(['sceptic', 'dying', 'lying', 'tyre', 'skies', 'oog', 'eenen'])
  .flatMap((word) => [word, `${word}ing`, `${word}s`, `${word}heiten`, `${word}issimo`])
  .filter((word) => /^[a-z]+$/.test(fold(word)))

test.for([...latinStemmers.keys()])('the filter never drops a word in %s that has a wanted term', (language) => {
  expect(words.length).toBeGreaterThan(1000)
  const [concept] = parseQuery('whale').concepts
  const missed = words.filter((word) =>
    [...termsOf(word, language), ...termsOf(word, 'en')].some((term) => {
      const concepts = concept ? [{ ...concept, terms: [term] }] : []
      return createWordFilter({ concepts, languages: [language], phrases: [] })?.(word, { start: 0, end: word.length })
    }),
  )
  expect(missed).toEqual([])
})

test('the filter drops most words of a text', () => {
  const filter = createWordFilter(parseQuery('whale ship'))
  const text = 'Call me Ishmael. Some years ago, never mind how long.'
  const passed = [...text.matchAll(/\w+/g)].filter(({ 0: word, index }) =>
    filter?.(text, { start: index, end: index + word.length }),
  )
  expect(passed.map(String)).toEqual(['Call', 'me', 'Ishmael', 'Some', 'years', 'ago', 'never', 'mind', 'how', 'long'])
})

test('the words of a page are listed once each', () => {
  const page = finishSteps(stripPage('# A whale\n\nA whale and a getUser.'))
  expect(finishSteps(wordsOn(page)).map(({ word, isPlain }) => [word, isPlain])).toEqual([
    ['a', true],
    ['whale', true],
    ['and', true],
    ['getuser', true],
    ['get', true],
    ['user', true],
  ])
})

test('a page without its markup is cached by the object that holds its text', () => {
  const pages = createStrippedPages()
  const [before, after] = [{ content: 'A whale.' }, { content: 'A ship.' }]
  const stripped = finishSteps(stripPage(before.content))
  pages.keep(before, stripped)
  expect(pages.get(before)).toBe(stripped)
  expect(pages.get(after)).toBeUndefined()
})

/** A text in all scripts that have function words, with punctuation and names between the words. */
const mixed = [...functionWords]
  .flatMap(([language, each]) => [language, ...[...each].slice(0, 40)])
  .map(
    (word, at) =>
      word +
      [' ', ', ', '. ', '-', ' & ', " '", '/', "'s ", ' — ', '_', ' 1,000 3.11 2nd ', ' V8.2 U.S. .net '][at % 12],
  )
  .join('')

test.for([
  'the of',
  'The und je',
  '3.11 2nd',
  '1000 v8',
  'net usa',
  'и на',
  'bis dans',
  'thing over',
  'C++ 100',
  'v 8',
  'für où',
  't s',
])('the words of %s in a text of all scripts are the same as without skipping', (text) => {
  const query = parseQuery(text, ['en', 'de', 'fr', 'ru', 'ar', 'zh'])
  const expected = occurrencesInText(mixed, query)
  expect(createWordSkip(query, createWordFinder(query))).not.toBeNull()
  expect(withoutPositions(occurrencesOf(mixed, query))).toEqual(withoutPositions(expected))
})

/** Words of three languages whose terms begin differently: with tones, prefixes and mutations. */
const changing =
  'Tiếng Việt, tieng viet, đường và duong, Ấn Độ, ăn. Pelajaran mengajar diajarkan, ajar; terbesar, besar, menyapu. ' +
  'An bhean agus bean, mbean; gcapall, capall; tseomra, seomra. A whale, the white ships and a very long text. à y'

test.for([
  'tiếng việt',
  'tieng viet',
  'đường ăn',
  'duong an',
  'ấn độ',
  'ajar besar',
  'mengajar sapu',
  'bean capall',
  'seomra bhean',
  'whale ship',
  'y à',
])('the words of %s are found without looking up every word, with tones, prefixes and mutations', (text) => {
  const query = parseQuery(text, ['en', 'vi', 'id', 'ga', 'ru'])
  const expected = occurrencesInText(changing, query, ({ word, term }) => {
    const terms = new Set([term, ...query.languages.flatMap((language) => termsOf(word, language))])
    const concept = query.concepts.findIndex((each) => each.terms.some((wanted) => terms.has(wanted)))
    return concept < 0 ? undefined : concept
  })
  const skip = createWordSkip(query, createWordFinder(query))
  expect(expected.length).toBeGreaterThan(0)
  expect(skip?.(takeUnits('Some years ago, in a world of words'), 0)).toBeGreaterThan(20)
  expect(withoutPositions(occurrencesOf(changing, query))).toEqual(withoutPositions(expected))
})

test('a word without ASCII characters has no term of ASCII characters only, except in Serbian', () => {
  const foreign = [...functionWords.values()]
    .flatMap((each) => [...each])
    .filter((word) => /^[^\0-\x7f]+$/.test(fold(word)))
  expect(foreign.length).toBeGreaterThan(200)
  const languages = [...functionWords.keys()].filter(hasNoAsciiTerms)
  const wrong = foreign.filter((word) =>
    languages.some((language) => termsOf(word, language).some((term) => /[\0-\x7f]/.test(term))),
  )
  expect(wrong).toEqual([])
})

test('a Serbian word in Cyrillic letters is found by its Latin ones', () => {
  const query = parseQuery('grad', ['sr'])
  const expected = occurrencesInText('Ово је град.', query)
  expect(expected.length).toBe(1)
  expect(withoutPositions(occurrencesOf('Ово је град.', query))).toEqual(withoutPositions(expected))
})

test('most words of a text are skipped', () => {
  const query = parseQuery('whale ship')
  const skip = createWordSkip(query, createWordFinder(query))
  const moved = (text: string) => skip?.(takeUnits(text), 0)
  const text = 'Call me Ishmael. Some years ago in 1851, who knows — 很久以前 — a whale'
  expect(moved(text)).toBe(text.length - ' whale'.length)
  const marked = `Öfter für "I'd" o'clock: 'quoted' -x --y __init__ ./path v8 win32 #42 ab+c (1st). Wheel. whale`
  expect(moved(marked)).toBe(marked.length - ' whale'.length)
  expect(moved('R & D and more')).toBe(0)
  expect(moved('C++ and more')).toBe(0)
  expect(moved('getUser and more')).toBe(0)
  expect(createWordSkip(parseQuery('"white whale"'), createWordFinder(query))).toBeNull()
  expect(createWordSkip(parseQuery('.net'), createWordFinder(query))).toBeNull()
})

test.for([...latinStemmers.keys()])('a word in %s that has a wanted term is never skipped', (language) => {
  const [concept] = parseQuery('whale').concepts
  const missed = words.filter((word) =>
    [...termsOf(word, language), ...termsOf(word, 'en')].some((term) => {
      const query = { concepts: concept ? [{ ...concept, terms: [term] }] : [], languages: [language], phrases: [] }
      return createWordSkip(query, createWordFinder(query))?.(takeUnits(word), 0)
    }),
  )
  expect(missed).toEqual([])
})

test('possible corrections among the words of a page are not skipped', () => {
  const page = finishSteps(stripPage(`# Whale\n\nA Whale, getWhale and a white-whale; whales, shops. ${mixed}`))
  const wanted = ['whale', 'und', 'der', 'schon', 'shops']
  const seen = (tokens: readonly { word: string; isPlain: boolean }[]) =>
    tokens.filter(({ word, isPlain }) => isPlain && wanted.includes(fold(word))).map(({ word }) => word)
  const all = finishSteps(wordsOn(page))
  const few = finishSteps(wordsOn(page, createSpellingSkip(wanted)))
  expect(seen(few)).toEqual(seen(all))
  expect(seen(few)).toContain('whale')
  expect(few.length).toBeLessThan(all.length * 0.6)
})
