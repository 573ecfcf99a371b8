import { beforeEach, describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { transports } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Pronounceable words that do not share stems: `kabo`, `kabu`, `kado`. */
const words = [...'klmnprtv'].flatMap((one) => [...'bdfg'].flatMap((two) => [`${one}a${two}o`, `${one}i${two}u`]))
const common = words.slice(0, 40)

function contentOf(pages: readonly string[]): string {
  return pages.map((text, at) => `# ${at}\n\n${text}\n`).join('\n')
}

describe.for(transports)('over %s', ([, transport]) => {
  let person: Person

  beforeEach(async () => {
    person = await server.createPerson()
  })

  const firstPage = async (query: string) => {
    const { ok, body, text } = await transport.call(server, person, 'search_items', { query })
    if (!ok) throw new Error(text)
    return body.items[0].hits[0]?.page as number
  }

  test('the last words of a long question count if they are the rarest', async () => {
    const filler = common.map((word) => `${word} `.repeat(9))
    await makeBook(server, person, { content: contentOf([...filler, 'The lighthouse is green.', ...filler]) })
    expect(await firstPage(`${common.join(' ')} green lighthouse`)).toBe(common.length + 1)
  })

  test.for([
    { count: 12, covered: 7, times: 4, repeats: 2, sentences: 1 },
    { count: 6, covered: 3, times: 3, repeats: 1, sentences: 2 },
  ])(
    'a page about $covered of $count words comes before a long page that mentions all of them',
    async ({ count, covered, times, repeats, sentences }) => {
      const question = words.slice(-count)
      const prose = 'The sea was calm and the boats came home before the night. '
      const other = question.map((word) => prose.repeat(6) + word)
      const about = question.slice(0, covered).map((word) => `${word} `.repeat(times) + prose)
      const mentions = question.map((word) => `${word} ${prose.repeat(sentences)}`).join('')
      const pages = [...other, ...other, about.join(''), mentions.repeat(repeats)]
      await makeBook(server, person, { content: contentOf(pages) })
      expect(await firstPage(question.join(' '))).toBe(2 * other.length + 1)
    },
  )
})
