import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { mergeLibrary } from '../../src/search/index/merge-segments.ts'
import { parseQuery } from '../../src/search/query/parse-query.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { contextOf } from '../support/context.ts'
import { finnishWithEnglish } from '../support/finnish-with-english.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { transports } from '../support/transports.ts'
import { callOverRest } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const spanish = 'Las canciones de la costa se cantan en las bodas y en los entierros de los pescadores.'
const german = 'Der Krieg war lang und die Stadt war leer, aber die Menschen kamen nach dem Winter zurück.'
const english = 'The court heard of war crimes in the valley, and of the people who had seen them.'

async function library(...contents: string[]): Promise<{ ctx: Context; ids: string[]; owner: string; person: Person }> {
  const person = await server.createPerson()
  const ids: string[] = []
  for (const content of contents) ids.push(await makeBook(server, person, { title: '·', content }))
  return { ctx: await contextOf(server, person), ids, owner: person.id, person }
}

const find = async (ctx: Context, query: string) =>
  (await searchItems(ctx, { query, limit: 10 })).items.map(({ id }) => id)
const languagesOf = async (ctx: Context, owner: string) =>
  (await ctx.search.libraries.find(owner))?.segments.flatMap(({ languages }) => Object.keys(languages ?? {}))

test('a book is found by inflected words of its language, in a library with several languages', async () => {
  const { ctx, ids } = await library(spanish, german, english)
  expect(await find(ctx, 'canción')).toEqual([ids[0]])
  expect(await find(ctx, 'cancion')).toEqual([ids[0]])
  expect(await find(ctx, 'Städte')).toEqual([ids[1]])
  expect(await find(ctx, 'Kriege')).toEqual([ids[1]])
  expect(await find(ctx, 'crime')).toEqual([ids[2]])
})

test.for([
  [
    'znaková sada',
    'Program čte jen soubory v univerzální znakové sadě, a to i když byl příkaz zadán v jiné.',
    'Adresář je prázdný a sada příkazů jej odstraní, pokud to není zakázáno.',
  ],
  [
    'uprawnienia użytkownika',
    'Program jest dla użytkowników, którzy nie mają uprawnień do katalogu i do plików w nim.',
    'Katalog jest pusty, a polecenie usuwa go, jeżeli uprawnienia nie są w nim zmienione.',
  ],
] as const)('a question finds other forms of its words in Czech and Polish: %s', async ([query, answer, other]) => {
  const { ids, person } = await library(other, answer)
  for (const [, transport] of transports) {
    const { body } = await transport.call(server, person, 'search_items', { query })
    expect((body.items as { id: string }[])[0]?.id).toBe(ids[1])
  }
})

test('a Finnish page with some English is found by other forms of its words', async () => {
  const { ids, owner, person } = await library(english, finnishWithEnglish)
  const id = ids[1] as string
  await server.running.opened.services.books.change(owner, id, { set: { language: 'fi' } })
  for (const [at, [, transport]] of transports.entries()) {
    const content = `${finnishWithEnglish} ${at}`
    expect(await transport.call(server, person, 'put_item_content', { id, content })).toMatchObject({ ok: true })
    for (const query of ['asiakirjassa', 'reunan']) {
      const { body } = await transport.call(server, person, 'search_items', { query })
      expect((body.items as { id: string }[]).map((each) => each.id)).toEqual([id])
    }
  }
})

test.for([
  ['một tập tin', false],
  ['mot tap tin', true],
  ['tin', true],
  ['tập', false],
] as const)('the words of "%s" match words with other tones: %s', ([query, matches]) => {
  const terms = parseQuery(query, ['vi', 'en']).concepts.flatMap((concept) => concept.terms)
  expect(terms.some((term) => term.startsWith('~'))).toBe(matches)
})

test('in a question with tones, words without a tone match only themselves', async () => {
  const [tones, ghost] = [
    'Trên sông có mưa và má, mã, mả, mạ, mã, mả của những làng này.',
    'Mưa rơi trên sông và con ma đã đi qua cầu của những làng này.',
  ]
  const { ctx, ids } = await library(tones, ghost, 'Sách của những người này được đặt trên bàn và trong tủ.')
  expect(await find(ctx, 'ma mưa')).toEqual([ids[1], ids[0]])
})

describe.for(transports)('a word is not searched by the rules of another language over %s', ([, transport]) => {
  const glacier = 'The valley was formed by the glacier, and the court heard of the people in the valley.'
  const form = 'Die Form ist alt und die Stadt war leer, aber die Menschen kamen nach dem Winter zurück.'
  const notice = 'The notice was not seen by the people in the valley, and it was not read by the court.'
  const french = 'Les chansons de la côte sont chantées par les pêcheurs, et le vent est dans les voiles.'
  const found = async (person: Person, query: string) => {
    const { body } = await transport.call(server, person, 'search_items', { query })
    return body as { items: { id: string }[]; didYouMean?: string }
  }
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

  test('in single and in merged segments, and in exclusions', async () => {
    const { ctx, ids, owner, person } = await library(glacier, form, ...Array.from({ length: 12 }, () => german))
    expect(idsOf(await found(person, 'formed'))).toEqual([ids[0]])
    expect(idsOf(await found(person, 'alt -formed'))).toEqual([ids[1]])
    await mergeLibrary(ctx, owner)
    expect(idsOf(await found(person, 'formed'))).toEqual([ids[0]])
  })

  test('a book without text is found by its title', async () => {
    const { person } = await library(glacier, form)
    const id = await makeBook(server, person, { title: 'Formed of Glass', content: '' })
    expect(idsOf(await found(person, 'glass formed'))).toContain(id)
  })

  test('a typing mistake is not taken for an ending of another language', async () => {
    const { ids, person } = await library(notice, french)
    const answer = await found(person, 'notie')
    expect(idsOf(answer)).toEqual([ids[0]])
    expect(answer.didYouMean).toBe('notice')
  })
})

test('passages contain the inflected word', async () => {
  const filler = 'La mesa está en la casa y el pan está en la mesa. '.repeat(12)
  const { ctx } = await library(`${filler}\n\n${spanish}\n\n${filler}`)
  const [item] = (await searchItems(ctx, { query: 'canción', limit: 1 })).items
  expect(item?.hits[0]?.snippet).toContain('canciones')
})

test('the language of every few pages is detected separately', async () => {
  const pages = (text: string) => Array.from({ length: 8 }, (_, at) => `# ${at}\n\n${text}\n`).join('\n')
  const { ctx, ids, owner } = await library(`${pages(english)}\n${pages(spanish)}`)
  expect(await languagesOf(ctx, owner)).toEqual(expect.arrayContaining(['en', 'es']))
  expect(await find(ctx, 'canción')).toEqual(ids)
  expect(await find(ctx, 'crime')).toEqual(ids)
})

test('the languages of a library survive merges, and are removed with their last book', async () => {
  const { ctx, ids, owner, person } = await library(spanish, ...Array.from({ length: 17 }, () => english))
  await mergeLibrary(ctx, owner)
  expect(await languagesOf(ctx, owner)).toContain('es')
  expect(await find(ctx, 'canción')).toEqual([ids[0]])
  const deleted = await callOverRest(server, person, 'delete_items', { ids: ids.slice(0, 10) })
  expect(deleted.ok).toBe(true)
  await mergeLibrary(ctx, owner)
  expect(await languagesOf(ctx, owner)).not.toContain('es')
})

test.for([
  ['war crimes', ['en', 'de'], ['war', 'crime']],
  ['war crimes', ['de', 'en'], ['crime']],
  ['was war die Ursache', ['en', 'de'], ['ursach']],
  ['capital of France', ['en', 'es'], ['capit', 'franc']],
  ['to be or not to be', ['en'], ['to', 'be', 'or', 'not']],
  ['The Who', ['en'], ['the', 'who']],
  ['US treaty', ['en'], ['us', 'treati']],
  ["Türkiye'nin başkenti", ['tr'], ['turki', 'baske']],
  ["Ayşe’nin 1999'dan önceki evi", ['tr', 'en'], ['ayse', '1999', 'oncek', 'evi']],
  ["the Broncos'un", ['en'], ['bronco', 'un']],
] as const)('%s in a library of %s is searched by %s', ([query, languages, words]) => {
  const terms = parseQuery(query, languages).concepts.map((concept) => concept.terms)
  expect(terms).toHaveLength(words.length)
  for (const [at, word] of words.entries()) expect(terms[at]).toContain(word)
})

test('a word has few alternatives in a library of many languages', () => {
  const languages = 'en de fr es it pt nl sv da no fi hu ro tr pl cs vi ru uk bg el ar hi'.split(' ')
  for (const { terms } of parseQuery('internationalization Straßenbahnen evaluaciones', languages).concepts)
    expect(terms.length).toBeLessThanOrEqual(16)
})
