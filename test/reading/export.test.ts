import { XMLValidator } from 'fast-xml-parser'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { openMarkdown } from '../../src/imports/formats/markdown/open-markdown.ts'
import { defaultLimits } from '../../src/imports/formats/format.ts'
import { pagesOf } from '../evaluation/corpus.ts'
import { makeBook } from '../support/make-book.ts'
import { readEpub } from '../support/read-epub.ts'
import { smallBooks } from '../support/small-books.ts'
import type { Person } from '../support/server.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()

const fetchExport = (person: Person, itemId: string, format: string, headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}/api/v1/items/${itemId}/export?format=${format}`, {
    headers: { Authorization: `Bearer ${person.key}`, ...headers },
  })
const exportBytes = async (person: Person, itemId: string, format: string) => {
  const response = await fetchExport(person, itemId, format)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}
const change = (person: Person, id: string, set: object) =>
  server.running.opened.services.books.change(person.id, id, { set })

/** The readable content, reduced to letters and digits. */
const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []

describe('a book as Markdown', () => {
  test('is its text after title and author, and our importer reads both', async () => {
    const person = await server.createPerson()
    const content = '# One\n\nheron\n# Two\n\nbittern'
    const id = await makeBook(server, person, { title: 'A "quoted" \\ title: #1', content })
    await change(person, id, { author: "O'Neil & Sons", language: 'en' })
    const response = await fetchExport(person, id, 'markdown')
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="A quoted title #1.md"`)
    const text = await response.text()
    expect(text).toBe(
      `---\ntitle: "A \\"quoted\\" \\\\ title: #1"\nauthor: "O'Neil & Sons"\nlanguage: "en"\n---\n\n${content}`,
    )
    const { info } = await openMarkdown(new TextEncoder().encode(text), defaultLimits)
    expect(info).toMatchObject({ title: 'A "quoted" \\ title: #1', author: "O'Neil & Sons", language: 'en' })
  })

  test('keeps the other fields of its own front matter', async () => {
    const person = await server.createPerson()
    const content = '---\ntitle: Old\nauthors:\n  - A\n  - B\ntags: [x, y]\ndate: 2020\n---\n\n# One\n\ntext\n'
    const id = await makeBook(server, person, { title: 'New', content })
    const text = (await exportBytes(person, id, 'markdown')).toString()
    expect(text).toBe('---\ntitle: "New"\ntags: [x, y]\ndate: 2020\n---\n\n# One\n\ntext\n')
  })

  test('of an imported file has its pages joined like in the content route', async () => {
    const person = await server.createPerson()
    const { itemId } = await importFile(server, person, { filename: 'a.epub', bytes: await smallBooks.epub() })
    const content = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/content`, {
      headers: { Authorization: `Bearer ${person.key}` },
    }).then((response) => response.json() as Promise<{ content: string }>)
    const text = (await exportBytes(person, itemId, 'markdown')).toString()
    expect(text.slice(text.indexOf('---\n\n') + 5)).toBe(content.content)
  })
})

describe('a book as an EPUB', () => {
  test('is a ZIP file that begins with its type, with well-formed documents', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'A Book', content: '# One\n\nheron\n# Two\n\nbittern' })
    const bytes = await exportBytes(person, id, 'epub')
    // EPUB OCF 3.3, section 4.3: no extra field, not compressed, no data descriptor.
    expect(bytes.readUInt32LE(0)).toBe(0x04034b50)
    expect(bytes.readUInt16LE(6) & 8).toBe(0)
    expect(bytes.readUInt16LE(8)).toBe(0)
    expect(bytes.readUInt16LE(28)).toBe(0)
    expect(bytes.subarray(30, 58).toString()).toBe('mimetypeapplication/epub+zip')
    const zip = await JSZip.loadAsync(bytes)
    expect(Object.keys(zip.files)).toEqual([
      'mimetype',
      'META-INF/container.xml',
      'EPUB/nav.xhtml',
      'EPUB/book.css',
      'EPUB/text-00001.xhtml',
      'EPUB/text-00002.xhtml',
      'EPUB/book.opf',
    ])
    const opf = (await zip.file('EPUB/book.opf')?.async('text')) ?? ''
    expect(opf).toMatch(/<meta property="dcterms:modified">\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<\/meta>/)
    expect(opf).toContain('<dc:language>und</dc:language>')
    await expectWellFormed(zip)
    expect((await exportBytes(person, id, 'epub')).equals(bytes)).toBe(true)
  })

  test('can be imported again with the same text and table of contents', async () => {
    const person = await server.createPerson()
    const content = pagesOf('bees').join('')
    const id = await makeBook(server, person, { title: 'Bees', content })
    await change(person, id, { author: 'A. Keeper', language: 'en' })
    const book = await readEpub(await exportBytes(person, id, 'epub'))
    expect(book.info).toMatchObject({ title: 'Bees', author: 'A. Keeper', language: 'en' })
    expect(wordsOf(book.pages.map((page) => page.content).join('\n'))).toEqual(wordsOf(content))
    const { contents } = server.running.opened.services
    const manifest = await contents.getManifest(id, 1)
    expect(book.toc.map(({ title, level }) => ({ title, level }))).toEqual(
      manifest?.toc.map(({ title, level }) => ({ title, level })),
    )
  })

  test('keeps tables, lists, code, quotations and notes through the importer', async () => {
    const person = await server.createPerson()
    const content = [
      '# One',
      'A *word* and a **strong** one, `code`, a [link](https://example.org/?a=1&b=2), a note.[^n]',
      '- first\n- second\n  - inner',
      '3. three\n4. four',
      '> quoted',
      '```js\nif (a < b && c) {}\n```',
      '| a | b |\n| --- | --- |\n| 1 | 2 |',
      '[^n]: The note.',
      '[^loose]: A note of another page.',
    ].join('\n\n')
    const id = await makeBook(server, person, { content })
    const { pages } = await readEpub(await exportBytes(person, id, 'epub'))
    const text = pages.map((page) => page.content).join('\n')
    for (const kept of [
      '*word*',
      '**strong**',
      '`code`',
      '- first',
      '  - inner',
      '> quoted',
      'if (a < b && c) {}',
      '| 1 | 2 |',
    ])
      expect(text).toContain(kept)
    expect(text).toMatch(/3\. three\n+4\. four/)
    expect(text).toMatch(/\[\^([^\]]+)\][\s\S]*\[\^\1\]: The note\./)
    expect(text).toContain('A note of another page.')
  })

  test.for([
    ['markup', '<script>alert(1)</script> <b>bold</b> &amp; & ]]> <?php ?> <!-- x -->'],
    ['forbidden characters', 'a\u0000b\u0008c\u000bd\ufffee\uffff f\u0085g'],
    ['entities', '&nbsp; &copy; &#0; &#x8; &#xFFFE; &unknown;'],
    ['links to programs', '[x](javascript:alert(1)) [y](data:text/html,x) <javascript:alert(1)> [z](x.html "t\\"<")'],
    ['pictures', '![<b> & "q"](file:///etc/passwd) ![](x.png)'],
    ['notes with odd names', 'a[^"><x] b[^__proto__]\n\n[^"><x]: one\n\n[^__proto__]: two'],
    ['fences with odd languages', '```"><script>\nx\n```'],
    ['deep nesting', `${'> '.repeat(300)}x\n\n${'- '.repeat(200)}y`],
  ])('is well-formed for hostile text: %s', async ([, content]) => {
    const person = await server.createPerson()
    const hostile = '<x> & "y" \u0001\u202e</title>'
    const id = await makeBook(server, person, { content: `# ${hostile}\n\n${content}\n` })
    await change(person, id, {
      title: hostile,
      author: hostile,
      publisher: hostile,
      description: hostile,
      language: '"><x',
    })
    const zip = await JSZip.loadAsync(await exportBytes(person, id, 'epub'))
    await expectWellFormed(zip)
    const text = (await zip.file('EPUB/text-00001.xhtml')?.async('text')) ?? ''
    expect(text).not.toMatch(/<script|<b>|<img|href="(?!https?:|mailto:|#|book\.css)/)
  })

  test('of a long book consists of files of limited size, with every page in order', async () => {
    const person = await server.createPerson()
    const page = (at: number) => `# Chapter ${at}\n\n${`word${at} some text of a long chapter. `.repeat(600)}\n\n`
    const id = await makeBook(server, person, { content: Array.from({ length: 40 }, (_, at) => page(at)).join('') })
    await change(person, id, { sourceType: 'pdf', tocId: 'none' })
    const zip = await JSZip.loadAsync(await exportBytes(person, id, 'epub'))
    const names = Object.keys(zip.files).filter((name) => name.includes('text-'))
    expect(names.length).toBeGreaterThan(2)
    expect(names.length).toBeLessThan(20)
    const texts: string[] = []
    for (const name of names) texts.push((await zip.file(name)?.async('text')) ?? '')
    for (const text of texts) expect(text.length).toBeLessThan(400_000)
    const marks = texts.join('').match(/id="p\d+"/g) ?? []
    expect(marks).toEqual(Array.from({ length: 40 }, (_, at) => `id="p${at + 1}"`))
    await expectWellFormed(zip)
    const nav = (await zip.file('EPUB/nav.xhtml')?.async('text')) ?? ''
    expect(nav.match(/epub:type="page-list"[\s\S]*/)?.[0].match(/<li>/g)).toHaveLength(40)
  })

  test('is not sent again to a client that has it, until the book changes', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: 'text' })
    const first = await fetchExport(person, id, 'epub')
    await first.arrayBuffer()
    const known = { 'If-None-Match': first.headers.get('etag') ?? '' }
    expect((await fetchExport(person, id, 'epub', known)).status).toBe(304)
    expect((await fetchExport(person, id, 'markdown', known)).status).toBe(200)
    await change(person, id, { title: 'Other', updatedAt: new Date(Date.now() + 1000) })
    expect((await fetchExport(person, id, 'epub', known)).status).toBe(200)
  })
})

test('is refused in another format, and for a book without text', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content: 'text' })
  for (const format of ['pdf', '', 'MARKDOWN']) expect((await fetchExport(person, id, format)).status).toBe(400)
  await change(person, id, { version: 0, status: 'FAILED', healthReason: 'x' })
  expect((await fetchExport(person, id, 'epub')).status).toBe(409)
  await change(person, id, { version: 1, status: 'READY' })
})

async function expectWellFormed(zip: JSZip): Promise<void> {
  for (const [name, file] of Object.entries(zip.files)) {
    if (!/\.(?:xml|xhtml|opf)$/.test(name)) continue
    const text = await file.async('text')
    expect([name, XMLValidator.validate(text)]).toEqual([name, true])
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
  }
}
