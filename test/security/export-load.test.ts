import JSZip from 'jszip'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../src/core/context.ts'
import { renderPartInThread } from '../../src/reading/export/xhtml-thread.ts'
import { useMeasuredServer } from '../support/use-measured-server.ts'
import type { Person } from '../support/server.ts'
import { send } from '../support/transports.ts'

const { server, attacker, victim } = useMeasuredServer()

const headersOf = ({ key }: Person) => ({ Authorization: `Bearer ${key}` })

async function exportEpub(id: string): Promise<Buffer> {
  const url = `${server.baseUrl}/api/v1/items/${id}/export?format=epub`
  const response = await fetch(url, { headers: headersOf(attacker) })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

async function createBook(content: string): Promise<string> {
  const body = { title: 'Costly', content }
  const created = await send(server, attacker.key, { method: 'POST', path: '/api/v1/items/markdown', body })
  expect(created.status).toBe(201)
  return created.body.id
}

describe('the EPUB of a book whose text is costly to render', () => {
  // The first export of a process loads packages.
  beforeAll(async () => {
    await exportEpub(await createBook('# First\n\nA word.\n'))
  })

  test.for<[name: string, unit: string]>([
    ['opening brackets', '['],
    ['paragraphs', 'a\n\n'],
    ['items of lists', '- a\n'],
  ])('does not block other calls: %s', { timeout: 120_000 }, async ([, unit]) => {
    const id = await createBook(unit.repeat(900_000 / unit.length))
    const { result, heldMs } = await server.during(victim, () => exportEpub(id))
    const text = await (await JSZip.loadAsync(result)).file('EPUB/text-00001.xhtml')?.async('text')
    expect(text?.length).toBeGreaterThan(900_000)
    // Rendered between the calls, each part of a page held them up for 200 ms.
    expect(heldMs.max).toBeLessThan(140)
  })

  test('keeps links, figures and notes of long pages', async () => {
    const long = 'Words of a long page. '.repeat(500)
    const id = await createBook(
      `# One\n\n[the second](page:2) [none](page:9) and a note[^1].\n\n${long}\n\n[^1]: The note.\n\n# Two\n\nx\n`,
    )
    const zip = await JSZip.loadAsync(await exportEpub(id))
    const text = (await zip.file('EPUB/text-00001.xhtml')?.async('text')) ?? ''
    expect(text).toMatch(
      /<a href="text-0000\d\.xhtml#p2">the second<\/a> none and a note<a [^>]*href="#note-p1-0-1">1<\/a>/,
    )
    expect(text).toContain('<aside epub:type="footnote" role="doc-footnote" id="note-p1-0-1">')
  })
})

test('parts of exports are rendered by turns of the accounts', async () => {
  const ended: string[] = []
  const render = async (id: string) => {
    const call = { actor: { id }, signal: new AbortController().signal } as Call
    await renderPartInThread(call, { text: 'a '.repeat(10_000), id: 'p1' })
    ended.push(id)
  }
  await Promise.all(['ann', 'ann', 'ann', 'ann', 'bob'].map(render))
  expect(ended).toEqual(['ann', 'ann', 'bob', 'ann', 'ann'])
})
