import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openEpub } from '../../../src/imports/formats/epub/open-epub.ts'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { buildEpub, container } from '../../support/epub.ts'
import type { EpubParts } from '../../support/epub.ts'
import { zipBomb, rawZip } from '../../support/raw-zip.ts'
import type { RawEntry } from '../../support/raw-zip.ts'
import { readEpub, readParts } from '../../support/read-epub.ts'

const opf = (metadata: string, rest: string): string =>
  `<package><metadata>${metadata}</metadata><manifest><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>${rest}</manifest><spine><itemref idref="a"/></spine></package>`

const encryption = (algorithm: string): string =>
  `<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/>` +
  '<enc:CipherData><enc:CipherReference URI="OEBPS/one.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>'

function raw(name: string, content: string): RawEntry {
  const data = Buffer.from(content)
  return { name, data: deflateRawSync(data, { level: 1 }), deflated: { size: data.length, crc: crc32(data) } }
}

function nested(open: string, close: string, depth: number): string {
  return open.repeat(depth) + 'x' + close.repeat(depth)
}

describe('a hostile EPUB is refused with a reason', () => {
  const laughs = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
  test.for([
    ['no container and no package document', { 'META-INF/container.xml': null, 'OEBPS/book.opf': null }, 'BROKEN'],
    ['a container without a rootfile', { 'META-INF/container.xml': '<container/>', 'OEBPS/book.opf': null }, 'BROKEN'],
    ['a package document that is not XML', { 'OEBPS/book.opf': '<package <<<' }, 'BROKEN'],
    ['a package document without content', { 'OEBPS/book.opf': '<package/>' }, 'BROKEN'],
    ['a spine without an existing file', { 'OEBPS/one.xhtml': null }, 'BROKEN'],
    ['no text and no image', { 'OEBPS/one.xhtml': '<html><body> </body></html>' }, 'EMPTY'],
    [
      '50,000 nested elements in the package',
      { 'OEBPS/book.opf': '<a>'.repeat(50_000) + '</a>'.repeat(50_000) },
      'BROKEN',
    ],
    ['200,000 nested elements in a chapter', { 'OEBPS/one.xhtml': '<div>'.repeat(200_000) + 'x' }, 'TOO_DEEP'],
    [
      'elements nested where they are left out',
      { 'OEBPS/one.xhtml': `<div hidden="">${'<b>'.repeat(200_000)}` },
      'TOO_DEEP',
    ],
    ['a package document of 5 MB', { 'OEBPS/book.opf': opf('', `<!--${'x'.repeat(5_000_000)}-->`) }, 'TOO_LARGE'],
    [
      'encrypted content',
      { 'META-INF/encryption.xml': encryption('http://www.w3.org/2001/04/xmlenc#aes256-cbc') },
      'DRM',
    ],
    ['content encrypted without a named algorithm', { 'META-INF/encryption.xml': encryption('') }, 'DRM'],
    ['an encryption list that is not XML', { 'META-INF/encryption.xml': '<encryption' }, 'BROKEN'],
  ] as const)('%s', async ([, files, code]) => {
    await expect(readParts({ files })).rejects.toMatchObject({ name: 'FormatError', code })
  })

  test('a paragraph of 50 MB', async () => {
    const bytes = rawZip([
      raw('META-INF/container.xml', container('book.opf')),
      raw('book.opf', opf('', '')),
      raw('one.xhtml', `<p>${'x'.repeat(50_000_000)}</p>`),
    ])
    await expect(readEpub(bytes)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test.for([
    ['with a truthful size', {}],
    ['with a false size', { size: 100 }],
  ] as const)('a chapter of 1 GiB, %s', async ([, claims]) => {
    const bytes = rawZip([
      raw('META-INF/container.xml', container('book.opf')),
      raw('book.opf', opf('', '')),
      { name: 'one.xhtml', data: zipBomb(), deflated: { size: 1024 ** 3, crc: 0 }, claims },
    ])
    await expect(readEpub(bytes)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test('many chapters that are too large together', async () => {
    const chapters = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}.xhtml`, 'x '.repeat(60_000)]))
    const limits = { ...defaultLimits, totalBytes: 1_000_000 }
    await expect(readParts({ chapters }, limits)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test('an encrypted file and a truncated one', async () => {
    const bytes = await buildEpub({})
    await expect(openEpub(bytes.subarray(0, -100), defaultLimits)).rejects.toMatchObject({ code: 'BROKEN' })
    const locked = rawZip([{ ...raw('META-INF/container.xml', container('book.opf')), claims: { flags: 1 } }])
    await expect(openEpub(locked, defaultLimits)).rejects.toMatchObject({ code: 'ENCRYPTED' })
  })

  test('entities that would expand to gigabytes are not expanded', async () => {
    const title = `<!DOCTYPE package [<!ENTITY l0 "lol">${laughs}]>${opf('<title>A &l10; B</title>', '')}`
    const { info } = await readParts({ files: { 'OEBPS/book.opf': title } })
    expect(info.title).toBe('A &l10; B')
  })

  test('elements and attributes named __proto__ change nothing', async () => {
    const metadata = '<__proto__><title>x</title></__proto__><title __proto__="a" x:__proto__="b">Tides</title>'
    const { info } = await readParts({ files: { 'OEBPS/book.opf': opf(metadata, '') } })
    expect(info.title).toBe('Tides')
    expect(({} as Record<string, unknown>)['title']).toBeUndefined()
  })

  test('external entities are not fetched', async () => {
    const doctype = '<!DOCTYPE package [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    const chapter = `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><body>a &x; b</body></html>`
    const hostile: EpubParts[] = [
      { files: { 'OEBPS/book.opf': doctype + opf('<title>&x;</title>', '') } },
      { files: { 'OEBPS/one.xhtml': chapter } },
    ]
    const outcomes = hostile.map((parts) => readParts(parts).catch((error: unknown) => error))
    for (const outcome of await Promise.all(outcomes)) expect(JSON.stringify(outcome)).not.toContain('root:')
  })
})

describe('an unusual EPUB is read', () => {
  test('obfuscated fonts are not copy protection', async () => {
    const files = { 'META-INF/encryption.xml': encryption('http://www.idpf.org/2008/embedding') }
    expect((await readParts({ files })).pages).toHaveLength(1)
  })

  test('a spine that repeats one file 20,000 times has one file', async () => {
    const book = await readParts({ spine: '<itemref idref="c0"/>'.repeat(20_000) })
    expect(book.pages).toHaveLength(1)
  })

  test('paths that leave the archive do not refer to files outside', async () => {
    const bytes = rawZip([
      raw('META-INF/container.xml', container('../../book.opf')),
      raw('book.opf', opf('', '').replace('one.xhtml', '../../../etc/one.xhtml')),
      raw('/etc/one.xhtml', '<p>inside</p>'),
    ])
    expect((await readEpub(bytes)).pages.map(({ content }) => content)).toEqual(['inside'])
  })

  test('ids and names of prototype properties are ordinary names', async () => {
    const nav = '<nav epub:type="toc"><ol><li><a href="one.xhtml#constructor">toString</a></li></ol></nav>'
    const chapters = { 'one.xhtml': '<p id="constructor">a</p><p id="__proto__" class="hasOwnProperty">b</p>' }
    expect((await readParts({ chapters, nav })).toc).toEqual([{ title: 'toString', page: 1, level: 1 }])
  })

  test.for([
    [
      'lists and quotations nested 200 deep',
      nested('<ul><li>a', '</li></ul>', 200) + nested('<blockquote>', '</blockquote>', 400),
    ],
    ['tables nested 100 deep', nested('<table><tr><td>a</td><td>', '</td></tr></table>', 100)],
    [
      'a table with excessive spans',
      `<table>${'<tr><td colspan="99999" rowspan="99999">a</td></tr>'.repeat(2_000)}</table>`,
    ],
    ['200,000 empty elements', '<p>x</p>' + '<i></i><a id="q"/>'.repeat(100_000)],
    ['closing tags without an opening tag', '<p>x</p>' + '</b></div>'.repeat(100_000)],
    ['100,000 raised letters in one paragraph', `<p>${'<sup>a</sup>'.repeat(100_000)}</p>`],
    ['100,000 notes with one number', '<a epub:type="noteref" href="#n">1</a> '.repeat(1_000) + 'x'],
    ['100,000 entities', '&#x1F600;&amp;&nbsp;'.repeat(100_000) + 'x'],
    ['a truncated element', '<p>x</p><p class="'],
    ['a megabyte of opening brackets', 'x' + '<'.repeat(1_000_000)],
  ] as const)('%s', async ([, body]) => {
    const { pages } = await readParts({ chapters: { 'one.xhtml': body } })
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.some(({ content }) => content.includes('x') || content.includes('a'))).toBe(true)
    for (const { content } of pages) expect(content.length).toBeLessThanOrEqual(6_000)
    expect(pages.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(body.length * 3 + 1_000)
  })

  test('flipped bytes yield pages or a reason, never another error', async () => {
    const whole = await buildEpub({
      chapters: { 'a.xhtml': 'word '.repeat(500) },
      nav: '<nav><ol><li><a href="a.xhtml">A</a></li></ol></nav>',
    })
    for (let at = 0; at < whole.length; at += 17) {
      const bytes = Uint8Array.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 0xff
      await readEpub(bytes).catch((error: unknown) => expect(error).toMatchObject({ name: 'FormatError' }))
    }
  })
})
