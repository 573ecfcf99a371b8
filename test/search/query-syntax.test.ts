import { describe, expect, test } from 'vitest'
import { hasWords, parseQuery } from '../../src/search/query/parse-query.ts'
import { readSyntax } from '../../src/search/query/query-syntax.ts'

/** Returns the words that are searched for (prefixes with an asterisk), the phrases, and the exclusions. */
function read(query: string) {
  const { concepts, phrases, excluded } = parseQuery(query)
  const termsOf = (places: number[]) => places.map((at) => concepts[at]?.terms[0]).join(' ')
  return {
    words: concepts.flatMap(({ terms, phraseOnly, prefix }) => (phraseOnly ? [] : [`${terms[0]}${prefix ? '*' : ''}`])),
    phrases: phrases.map((phrase) => termsOf(phrase.concepts)),
    excluded: excluded.map((phrase) => termsOf(phrase.concepts)),
  }
}

describe('the syntax of a query', () => {
  test.for<[query: string, words: string[], excluded: string[]]>([
    ['whale -ship', ['whale'], ['ship']],
    ['whale NOT ship', ['whale'], ['ship']],
    ['whale -"white ship"', ['whale'], ['white ship']],
    ['whale NOT "white ship"', ['whale'], ['white ship']],
    ['whale (-ship)', ['whale'], ['ship']],
    ['-ship whale -boat', ['whale'], ['ship', 'boat']],
    ['whale -e-mail', ['whale'], ['e mail', 'email']],
    ['whale -ship*', ['whale'], ['ship']],
    ['鲸 -船', ['鲸'], ['船']],
    ['whale and -ship', ['whale'], ['ship']],
    ['whale, -ship', ['whale'], ['ship']],
    ['whale, -ship and a boat', ['whale', 'boat'], ['ship']],
    ['the captain -called Ahab- saw whales -ship', ['captain', 'call', 'ahab', 'saw', 'whale'], ['ship']],
    ['und -ship whale', ['und', 'whale'], ['ship']],
  ])('%s searches for %j and excludes %j', ([query, words, excluded]) => {
    expect(read(query)).toMatchObject({ words, excluded })
  })

  test.for<[query: string, words: string[]]>([
    ['the temperature of -40 degrees', ['temperatur', '40', 'degre']],
    ['grep -v and git --oneline', ['grep', 'v', 'git', 'onelin']],
    ['a well-known e-mail', ['well', 'known', 'e', 'mail']],
    ['whales - a survey', ['whale', 'survey']],
    ['DO NOT DISTURB', ['disturb']],
    ['to be or NOT to be again', ['not', 'again']],
    ['NOT', ['not']],
    ['note: this', ['note']],
    ['std::vector', ['std', 'vector']],
    ['C:\\temp at 10:30', ['c', 'temp', '10', '30']],
    ['https://title:80/x', ['https', 'titl', '80', 'x']],
    ['title: whales', ['titl', 'whale']],
    ['in:: "', ['in']],
    ['subtitle:whales', ['subtitl', 'whale']],
    ['before:dinner', ['befor', 'dinner']],
    ['2 * 3 and *bold* and a*b', ['2', '3', 'bold', 'b']],
    ['Server und -Client', ['server', 'client']],
    ['DNS-Import und -Export', ['dns', 'import', 'export']],
    ['Datenimport, -export und -druck', ['export', 'druck']],
    ['Datenimport, -export, -druck bzw. -test', ['export', 'druck', 'test']],
    ['Datenimport und -export oder -druck', ['export', 'druck']],
    ['state-owned and -operated', ['state', 'own', 'oper']],
    ['the captain -called Ahab- saw whales', ['captain', 'call', 'ahab', 'saw', 'whale']],
    ['the captain -Ahab-, who saw whales', ['captain', 'ahab', 'saw', 'whale']],
    ['قل -أيها الرسول- لمشركي قومك', ['قل', 'اي', 'رسول', 'لمشرك', 'قومك']],
  ])('%s is words: %j', ([query, words]) => {
    expect(read(query).words.filter((word) => words.includes(word))).toEqual(words)
    expect(parseQuery(query)).toMatchObject({ excluded: [], filters: [], phrases: [] })
  })

  test.for<[query: string, words: string[]]>([
    ['photosyn* plants', ['photosyn*', 'plant']],
    ['the* plants', ['the*', 'plant']],
    ['(photosyn*), plants', ['photosyn*', 'plant']],
    ['plant plant*', ['plant', 'plant*']],
    ['p* plants', ['p', 'plant']],
  ])('in %s the words are %j', ([query, words]) => {
    expect(read(query).words).toEqual(words)
  })

  test.for<[query: string, filters: string[]]>([
    ['title:whales', ['title whales']],
    ['ships title:"Moby Dick" whales', ['title Moby Dick']],
    ['author:“Ilse Müller” AUTHOR:melville', ['author Ilse Müller', 'author melville']],
    ['shelf:reading-list -shelf:done', ['shelf reading-list', '- shelf done']],
    ['NOT author:melville whales', ['- author melville']],
    ['in:0abc-9 x', ['in 0abc-9']],
    ['after:2024 before:2024-05-31', ['after 2024', 'before 2024-05-31']],
    ['before:2024-13', []],
    ['before:2023-02-29', []],
  ])('%s has the filters %j', ([query, filters]) => {
    const found = parseQuery(query).filters.map(
      ({ isExcluded, name, value }) => `${isExcluded ? '- ' : ''}${name} ${value}`,
    )
    expect(found).toEqual(filters)
  })

  test.for<[query: string, phrases: string[], words: number]>([
    ['"white whale" ship', ['white whale'], 3],
    ['"white whale" ship captain sea storm boat oar', ['white whale'], 8],
    ['the captain saw a "white whale" near his ship and lost a leg in the storm', [], 10],
    ['„white whale” captain ship storm boat oar lance rope', [], 9],
    ['"鯨" 船長 船 嵐 海', ['鯨'], 5],
    ['"white whale" コンピューター プログラミング', ['white whale'], 14],
  ])('%s has the phrases %j', ([query, phrases, words]) => {
    const found = read(query)
    expect([found.phrases, found.words.length]).toEqual([phrases, words])
  })

  test('an invalid date is reported and counts as words', () => {
    expect(parseQuery('ships before:christmas')).toMatchObject({ filters: [], undated: ['before:christmas'] })
  })

  test.for<[query: string, misspelt: string[]]>([
    ['titel:whales ships', ['title']],
    ['ships Autor:melville', ['author']],
    ['ships -shelfs:done', ['shelf']],
    ['ships befor:2024', ['before']],
    ['aft:2024 note:this std::vector titel: whales', []],
    ['localhost:8080 title:whales', []],
  ])('in %s, misspelt filters are %j, and their words are searched', ([query, misspelt]) => {
    const found = parseQuery(query)
    expect(found.misspelt.map(({ name }) => name)).toEqual(misspelt)
    expect(found.filters.length).toBe(query.includes('title:w') ? 1 : 0)
  })

  test('a colon and quotation marks of full width count like others', () => {
    expect(parseQuery('ships title：whales').filters).toEqual([{ name: 'title', value: 'whales', isExcluded: false }])
    expect(readSyntax('＂white whale＂ -＂blue whale＂')).toMatchObject({
      phrases: ['white whale'],
      excluded: [{ text: 'blue whale', isPhrase: true }],
    })
  })

  test('words keep their positions when filters and exclusions are removed', () => {
    const { plain } = readSyntax('white title:"a b" whale -ship')
    expect(plain).toBe(`white ${' '.repeat(11)} whale ${' '.repeat(5)}`)
  })

  test('a query of filters and exclusions has no words', () => {
    for (const query of ['-ship', 'title:whale', 'in:abc -"white ship"', '?!'])
      expect(hasWords(parseQuery(query))).toBe(false)
    for (const query of ['the', '"the who"', 'whale -whale', 'the -whale'])
      expect(hasWords(parseQuery(query))).toBe(true)
  })

  test('takes linear time', () => {
    for (const mark of [
      '-',
      '-a ',
      '-a- ',
      'a- ',
      'NOT ',
      'NOT a ',
      '"',
      '-"',
      'title:',
      'title:"',
      'aa* ',
      'aa*',
      '(',
      'in:a',
    ])
      expect(readSyntax(mark.repeat(10_000)).plain.length).toBeGreaterThan(0)
  }, 5000)
})
