import { beforeAll, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { searchPages } from '../../src/search/search-pages.ts'
import { contextOf } from '../support/context.ts'
import { makeBook } from '../support/make-book.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { robustnessCases, robustnessPages, type RobustnessCase } from './robustness-list.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const first = 3
let ctx: Context
const nameOf = new Map<string, string>()

beforeAll(async () => {
  const person = await server.createPerson()
  ctx = await contextOf(server, person)
  for (const [language, pages] of Object.entries(robustnessPages)) {
    const content = Object.values(pages).map((text) => `# ·\n\n${text}\n`)
    const id = await makeBook(server, person, { title: language.toUpperCase(), content: content.join('\n') })
    for (const [at, name] of Object.keys(pages).entries()) nameOf.set(`${id}:${at + 1}`, `${language}.${name}`)
  }
})

async function isFound({ query, page }: RobustnessCase): Promise<boolean> {
  const { results } = await searchPages(ctx, { query })
  return results.slice(0, first).some(({ id }) => nameOf.get(id) === page)
}

async function misses(cases: readonly RobustnessCase[]): Promise<string[]> {
  const missed: string[] = []
  for (const each of cases) if (!(await isFound(each))) missed.push(`${each.query} → ${each.page}`)
  return missed
}

const ofWords = robustnessCases.filter(({ needs }) => needs === null)
const kinds = [...Map.groupBy(ofWords, ({ kind }) => kind)]

test('the list has 150 questions, and every answer is a page', () => {
  expect(robustnessCases.length).toBeGreaterThanOrEqual(150)
  const names = new Set(
    Object.entries(robustnessPages).flatMap(([language, pages]) =>
      Object.keys(pages).map((name) => `${language}.${name}`),
    ),
  )
  expect(robustnessCases.map(({ page }) => page).filter((page) => !names.has(page))).toEqual([])
})

test.for(kinds)('%s: the page is among the first three', async ([, cases]) => {
  const missed = await misses(cases)
  expect(missed.join(', ')).toBe('')
})
