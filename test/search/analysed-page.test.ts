import { expect, test } from 'vitest'
import { analysePage, createAnalysedPages, occurrencesOn } from '../../src/search/analysed-page.ts'
import type { Occurrence } from '../../src/search/excerpt.ts'
import { parseQuery } from '../../src/search/parse-query.ts'
import { createWordFinder } from '../../src/search/query-words.ts'
import { stripMarkdown } from '../../src/search/strip-markdown.ts'
import { finishSteps } from '../../src/runtime/turns.ts'
import { analyse } from '../../src/text/words/analyse.ts'

/** The words of a query as they are met in the text. */
function occurrencesInText(markdown: string, query: ReturnType<typeof parseQuery>): Occurrence[] {
  const find = createWordFinder(query)
  const found: Occurrence[] = []
  analyse(stripMarkdown(markdown).text, (token) => {
    const concept = find(token)
    const { start, end, position } = token
    if (concept !== undefined) found.push({ start, end, concept, position })
  })
  return found.sort((a, b) => a.start - b.start)
}

test.for<[markdown: string, query: string]>([
  ['# Mail\n\nAn e-mail is an email; e mail is none. Mails, mailing and mailed.', 'e-mail mail'],
  ['The U.S.A. and the USA, .NET and net, 1,000 and 1000, 3.11 and 3 11.', 'usa .net 1000 3.11'],
  ['`getUserById` gets a user by its id, and getUser does not.', 'user getUserById id'],
  ['Häuser und Haus, Übergröße und Ubergrosse.', 'häuser Übergröße'],
  ['漢字かな交じり文。漢字は漢の字。', '漢字 文'],
  ['ภาษาไทยและภาษาอังกฤษ ภาษา', 'ภาษา ไทย'],
  ['Корабли и корабль, кораблю навстречу.', 'корабль'],
])('has the words of %s where the text has them', ([markdown, text]) => {
  const query = parseQuery(text, ['en', 'de', 'ru'])
  const expected = occurrencesInText(markdown, query)
  expect(expected.length).toBeGreaterThan(1)
  const page = finishSteps(analysePage(markdown))
  expect(finishSteps(occurrencesOn(page, createWordFinder(query)))).toEqual(expected)
})

test('an analysed page belongs to the object that holds its text', () => {
  const pages = createAnalysedPages()
  const [before, after] = [{ content: 'A whale.' }, { content: 'A ship.' }]
  const analysed = finishSteps(analysePage(before.content))
  pages.keep(before, analysed)
  expect(pages.get(before)).toBe(analysed)
  expect(pages.get(after)).toBeUndefined()
})
