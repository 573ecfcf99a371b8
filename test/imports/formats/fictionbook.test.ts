import { describe, expect, test } from 'vitest'
import { openCover } from '../../../src/imports/formats/cover/open-cover.ts'
import { openDocumentNamed } from '../../../src/imports/formats/document/open-document.ts'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { fb2Of, zipOf } from '../../support/documents.ts'
import { photograph, transparentPng } from '../../support/figures.ts'
import { readDocument } from '../../support/read-document.ts'

const fb2 = (body: string, others = '') => readDocument(fb2Of({ body: `<section>${body}</section>`, others }), 'fb2')
const paragraphs = (...texts: string[]) => texts.map((text) => `<p>${text}</p>`).join('\n')

describe('a FictionBook', () => {
  test.for<[what: string, body: string, markdown: string]>([
    [
      'lines of code in one block with their spaces',
      paragraphs('Run:', '<code>if x:</code>', '<code>    y = 1</code>', 'Then <code>y</code>.', '<code>z</code>'),
      'Run:\n\n```\nif x:\n    y = 1\n```\n\nThen `y`.\n\n`z`',
    ],
    [
      'lists that are written out, with tasks',
      paragraphs(
        '1.\u00a0One',
        '2.\u00a0Two',
        '2. a. <emphasis>deep</emphasis>',
        '3. Three',
        'x',
        '• ☐ open',
        '• ☒ <strong>done</strong>',
      ),
      '1. One\n2. Two\n   1. *deep*\n3. Three\n\nx\n\n- [ ] open\n- [x] **done**',
    ],
    [
      'lists with two spaces after each bullet, as Pandoc writes them',
      paragraphs('•\u00a0 One', '•\u00a0 •\u00a0 <emphasis>deep</emphasis>', '•\u00a0 Two', '1.\u00a0 Three'),
      '- One\n  - *deep*\n- Two\n\n1\\. Three',
    ],
    [
      'no list of one number, or of numbers out of order',
      paragraphs('1. One', 'x', '3. Three', '1. One'),
      '1\\. One\n\nx\n\n3\\. Three\n\n1\\. One',
    ],
    [
      'stanzas line by line, with the title and the author of a poem',
      '<poem><title><p>Sea</p></title><stanza><v>a</v><v>b</v></stanza><stanza><v>c</v></stanza><text-author>Ada</text-author></poem><p>x</p>',
      '> **Sea**\n\n> a  \n> b\n\n> c\n\n> Ada\n\nx',
    ],
    [
      'a table',
      '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
  ])('has %s', async ([, body, markdown]) => {
    expect((await fb2(body)).text).toBe(markdown)
  })

  test('has its notes on the pages of their references, and other bodies at the end', async () => {
    const prose = paragraphs(
      ...Array.from({ length: 60 }, () => 'The tide went out and left the boats on the sand. '.repeat(3)),
    )
    const notes =
      '<body name="notes"><title><p>Notes</p></title><section id="n1"><title><p>1</p></title><p>First.</p></section></body><body><section><p>Second body.</p></section></body>'
    const { pages } = await fb2(`<p>Boats<a l:href="#n1" type="note">[1]</a>.</p>${prose}`, notes)
    expect(pages.length).toBeGreaterThan(2)
    expect(pages[0]?.content).toMatch(/^Boats\[\^1\]\.[^]*\n\n\[\^1\]: First\.$/)
    expect(pages.at(-1)?.content).toBe('Second body.')
  })

  test.for([
    ['by itself', async (bytes: Uint8Array) => bytes],
    ['in an archive', (bytes: Uint8Array) => zipOf({ 'book.fb2': bytes })],
  ] as const)('has the cover that its description declares, %s', async ([, wrap]) => {
    const title = '<book-title>A book</book-title><coverpage><image l:href="#front.jpg"/></coverpage>'
    const binary = `<binary id="front.jpg" content-type="image/jpeg">${photograph(3).toString('base64')}</binary>`
    const bytes = await wrap(fb2Of({ title, body: '<section><p>x</p></section>', others: binary }))
    const book = await openDocumentNamed('fb2')(bytes, defaultLimits)
    expect(book.hasCover).toBe(true)
    await book.close()
    const cover = await openCover(bytes, defaultLimits)
    expect(await cover.draw(80)).toMatchObject({ width: 80, height: 60, mediaType: 'image/jpeg' })
  })

  test.for<[what: string, description: string, code: string]>([
    ['names none', '', 'EMPTY'],
    ['names one that is not there', '<coverpage><image l:href="#x"/></coverpage>', 'BROKEN'],
    ['names one elsewhere', '<coverpage><image l:href="http://x.example/a.jpg"/></coverpage>', 'EMPTY'],
  ])('has no cover if its description %s', async ([, description, code]) => {
    const bytes = fb2Of({ title: `<book-title>A</book-title>${description}`, body: '<section><p>x</p></section>' })
    await expect(openCover(bytes, defaultLimits)).rejects.toMatchObject({ code })
  })

  test('begins with its annotation, as do its sections', async () => {
    const bytes = fb2Of({
      title:
        '<book-title>A</book-title><annotation><p>Of <emphasis>tides</emphasis>.</p><p>And boats.</p></annotation>',
      body: '<section><title><p>Ebb</p></title><annotation><p>In short.</p></annotation><p>x</p></section>',
    })
    const { text, info } = await readDocument(bytes, 'fb2')
    expect(text).toBe('> Of *tides*.\n\n> And boats.\n\n# Ebb\n\n> In short.\n\nx')
    expect(info.description).toMatch(/^Of tides/)
  })

  test('has its pictures as figures, except missing and damaged ones', async () => {
    const binary = (id: string, bytes: Buffer) =>
      `<binary content-type="image/png" id="${id}">${bytes.toString('base64').replace(/.{76}/g, '$&\n')}</binary>`
    const { text, figures } = await fb2(
      '<p>A</p><image l:href="#a" alt="Sea"/><p>b <image l:href="#b"/> c</p><image l:href="#none"/><image l:href="#bad"/>',
      binary('a', photograph(1)) + binary('b', transparentPng()) + binary('bad', Buffer.from('xx')),
    )
    expect(figures).toHaveLength(2)
    for (const { id } of figures) expect(text).toContain(id)
    expect(text).toContain('![Sea]')
  })

  test.for([
    ['<p><code>a</code></p>'],
    ['<p>• a</p>'],
    ['<p>1. a</p>'],
    ['<p><a/></p>'],
    ['<p>'],
    ['<binary id="a">'],
    ['<v>a</v>'],
  ])('of only %s is read in linear time', async ([unit = '']) => {
    const startedAt = process.cpuUsage()
    await fb2(`<p>x</p>${unit.repeat(30_000)}`).catch((error) => expect(error).toMatchObject({ code: 'TOO_DEEP' }))
    await fb2(`<p>x${'<a/>'.repeat(50_000)}</p>`)
    expect(process.cpuUsage(startedAt).user / 1_000_000).toBeLessThan(10)
  })
})

describe('a page of HTML', () => {
  test('has its embedded pictures as figures, without duplicates, and fetches none', async () => {
    const address = `data:image/jpeg;base64,${photograph(1).toString('base64')}`
    const source = `<p>A</p><img src="${address}" alt="Sea"><p>b <img src="${address}"></p><img src="https://example.org/c.png" alt="Far"><img src="data:image/png;base64,AAAA"><img src="data:text/html;base64,AAAA">`
    const { text, figures } = await readDocument(Buffer.from(source), 'html')
    expect(figures).toHaveLength(1)
    expect(text).toContain('![Sea](')
    expect(text).toContain('[Image: Far]')
    expect(text).not.toContain('base64')
  })
})
