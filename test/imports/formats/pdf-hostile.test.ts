import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FormatError, defaultLimits } from '../../../src/imports/formats/format.ts'
import type { ExtractedPage } from '../../../src/imports/formats/format.ts'
import { openPdf, openPdfWith } from '../../../src/imports/formats/pdf/open-pdf.ts'
import { withOwnerPassword, withUserPassword } from '../../support/encrypted-pdf.ts'
import { readAsImported } from '../../support/pdf-engines.ts'
import { assemblePdf, showText, writePdf } from '../../support/pdf.ts'

const hello = showText('Hello', { x: 72, y: 700 })
const good = writePdf({ pages: [{ content: hello }] })
const catalog = '<< /Type /Catalog /Pages 2 0 R >>'
const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const box = '/MediaBox [0 0 612 792] /Resources << /Font << /F1 6 0 R >> /XObject << /X 7 0 R >> >>'

/** A file with one page whose content stream has these bytes. */
function withContent(data: Buffer, entries = ''): Uint8Array {
  return withTree('<< /Type /Pages /Count 1 /Kids [4 0 R] >>', stream(data, entries))
}

function stream(data: Buffer, entries: string): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}

function withTree(tree: string, content: Buffer = stream(Buffer.from(hello), '')): Uint8Array {
  const form = `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 7 0 R >> >>`
  return assemblePdf(
    new Map<number, string | Buffer>([
      [1, catalog],
      [2, tree],
      [3, '<< >>'],
      [4, `<< /Type /Page /Parent 2 0 R ${box} /Contents 5 0 R >>`],
      [5, content],
      [6, font],
      [7, stream(Buffer.from('/X Do /X Do'), form)],
    ]),
  )
}

async function read(bytes: Uint8Array, limits = defaultLimits): Promise<ExtractedPage[]> {
  return readAsImported(async (engine) => {
    const book = await openPdfWith(engine, bytes, limits)
    try {
      const pages: ExtractedPage[] = []
      for await (const page of book.pages()) pages.push(page)
      return pages
    } finally {
      await book.close()
    }
  })
}

function bomb(bytes: number): Buffer {
  return deflateSync(Buffer.alloc(bytes, ' '))
}

describe('an unreadable PDF is refused with a reason', () => {
  test.for([
    ['an empty file', new Uint8Array(), 'BROKEN'],
    ['plain text', new TextEncoder().encode('This is no PDF. '.repeat(500)), 'BROKEN'],
    ['a file truncated in the middle of its only page', good.slice(0, 900), 'BROKEN'],
    ['a user password', withUserPassword, 'ENCRYPTED'],
    ['no page', writePdf({ pages: [] }), 'EMPTY'],
    ['a circular page tree', withTree('<< /Type /Pages /Count 3 /Kids [2 0 R 2 0 R] >>'), 'BROKEN'],
    ['an endlessly nested page tree', withTree(`<< /Type /Pages /Count 1 /Kids ${'['.repeat(100_000)} >>`), 'BROKEN'],
    ['a stream that decompresses to 70 MB', withContent(bomb(70 * 2 ** 20), '/Filter /FlateDecode'), 'TOO_LARGE'],
    [
      'a stream that is compressed twice',
      withContent(deflateSync(bomb(70 * 2 ** 20)), '/Filter [/FlateDecode /FlateDecode]'),
      'TOO_LARGE',
    ],
  ] as const)('%s', async ([, bytes, code]) => {
    const error: unknown = await read(bytes).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(FormatError)
    expect(error).toMatchObject({ code })
  })

  test('more pages than the limit', async () => {
    const bytes = writePdf({ pages: [{ content: hello }, { content: hello }] })
    await expect(read(bytes, { ...defaultLimits, pages: 1 })).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})

describe('a damaged but readable PDF is read', () => {
  const xref = Buffer.from(good).indexOf('xref\n')
  const trailer = Buffer.from(good).indexOf('trailer\n')
  test.for([
    ['an owner password', withOwnerPassword, 'Secret text'],
    ['garbage before the header', new Uint8Array(Buffer.concat([Buffer.alloc(5_000, 'x'), good])), 'Hello'],
    ['no cross-reference table', new Uint8Array(Buffer.concat([good.slice(0, xref), good.slice(trailer)])), 'Hello'],
    ['a wrong start of the cross-reference table', new Uint8Array([...good.slice(0, -10), 57, 57, 10]), 'Hello'],
    [
      'a truncated compressed stream',
      withContent(deflateSync(Buffer.from(hello)).subarray(0, -6), '/Filter /FlateDecode'),
      'Hello',
    ],
    ['a form that draws itself', withContent(Buffer.from(`/X Do ${hello}`)), 'Hello'],
    [
      'a thousand graphics states that are never restored',
      withContent(Buffer.from('q '.repeat(1_000) + hello)),
      'Hello',
    ],
    ['a hundred thousand lines', withContent(Buffer.from('0 0 m 9 9 l S '.repeat(100_000) + hello)), 'Hello'],
    ['endlessly nested arrays', withContent(Buffer.from(hello + '['.repeat(100_000))), 'Hello'],
  ] as const)('%s', async ([, bytes, text]) => {
    const pages = await read(bytes)
    expect(pages.map((page) => page.content)).toEqual([text])
  })

  test.for([
    ['has no content entry', `<< /Type /Page /Parent 2 0 R ${box} >>`],
    ['decompresses to too much', `<< /Type /Page /Parent 2 0 R ${box} /Contents 9 0 R >>`],
  ] as const)('a page that %s is blank and the others are read', async ([, broken]) => {
    const bytes = assemblePdf(
      new Map<number, string | Buffer>([
        [1, catalog],
        [2, '<< /Type /Pages /Count 3 /Kids [4 0 R 8 0 R 10 0 R] >>'],
        [3, '<< >>'],
        [4, `<< /Type /Page /Parent 2 0 R ${box} /Contents 5 0 R >>`],
        [5, stream(Buffer.from(hello), '')],
        [6, font],
        [8, broken],
        [9, stream(bomb(70 * 2 ** 20), '/Filter /FlateDecode')],
        [10, `<< /Type /Page /Parent 2 0 R ${box} /Contents 5 0 R >>`],
      ]),
    )
    expect((await read(bytes)).map((page) => page.content)).toEqual(['Hello', '', 'Hello'])
  })

  test('a false page count does not give endless pages', async () => {
    const pages = await read(withTree('<< /Type /Pages /Count 4000000 /Kids [4 0 R] >>'))
    expect(pages.map((page) => page.content)).toEqual(['Hello'])
  })

  test('a circular outline ends', async () => {
    const bytes = assemblePdf(
      new Map<number, string | Buffer>([
        [1, '<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R >>'],
        [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
        [3, '<< >>'],
        [4, `<< /Type /Page /Parent 2 0 R ${box} /Contents 5 0 R >>`],
        [5, stream(Buffer.from(hello), '')],
        [6, font],
        [8, '<< /First 9 0 R /Last 9 0 R >>'],
        [9, '<< /Title (Round) /Dest [4 0 R /Fit] /First 9 0 R /Next 9 0 R >>'],
      ]),
    )
    const book = await openPdf(bytes, defaultLimits)
    expect(await book.toc()).toEqual([{ title: 'Round', page: 1, level: 1 }])
    await book.close()
  })
})

test("the caller's bytes stay unchanged", async () => {
  const bytes = writePdf({ pages: [{ content: hello }] })
  await read(bytes)
  expect(bytes).toHaveLength(good.length)
})

test('a book can be closed twice, and before it is read', async () => {
  const book = await openPdf(good, defaultLimits)
  await book.close()
  await expect(book.close()).resolves.toBeUndefined()
})

/** A PDF with these encryption filters. The empty password does not open it. */
function sealedFor(filters: string): Uint8Array {
  const key = `<${'ab'.repeat(32)}>`
  const standard = '/CF << /StdCF << /CFM /AESV2 /AuthEvent /EFOpen /Length 16 >> >>'
  const encrypt = `<< /Filter /Standard /V 4 /R 4 /Length 128 ${standard} ${filters} /O ${key} /U ${key} /P -4 >>`
  const source = Buffer.from(good).toString('latin1')
  const start = source.lastIndexOf('xref\n', source.lastIndexOf('startxref') - 1)
  const tail = source.slice(start).replace('/Root 1 0 R', '/Encrypt 90 0 R /ID [<00> <00>] /Root 1 0 R')
  // A wrong `startxref` makes the engine search for the objects.
  const file = `${source.slice(0, start)}90 0 obj\n${encrypt}\nendobj\n${tail.replace(/startxref\n\d+/, 'startxref\n1')}`
  return Buffer.from(file, 'latin1')
}

describe('an encrypted PDF', () => {
  test.for([
    ['user', 'Secret text'],
    ['other', 'WRONG_PASSWORD'],
    ['', 'WRONG_PASSWORD'],
  ] as const)('with the password "%s" is: %s', async ([password, outcome]) => {
    const reading = openPdf(withUserPassword, defaultLimits, { password }).then(async (book) => {
      let text = ''
      for await (const { content } of book.pages()) text += content
      await book.close()
      return text
    })
    expect(await reading.catch((error: unknown) => (error as FormatError).code)).toBe(outcome)
  })

  test('with only its attachments encrypted can be read', async () => {
    const pages = await read(sealedFor('/EFF /StdCF /StmF /Identity /StrF /Identity'))
    expect(pages.map(({ content }) => content).join()).toContain('Hello')
    expect(await read(sealedFor('/EFF /StdCF'))).toHaveLength(1)
  })

  test.for(['/EFF /StdCF /StmF /StdCF /StrF /Identity', '/StmF /StdCF /StrF /StdCF', '/EFF /Identity'])(
    'with the filters %s needs its password',
    async (filters) => {
      await expect(read(sealedFor(filters))).rejects.toMatchObject({ code: 'ENCRYPTED' })
    },
  )
})

describe('metadata in XML', () => {
  const packet = (padding: string) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li>Rivers</rdf:li></rdf:Alt></dc:title></rdf:Description>${padding}</rdf:RDF></x:xmpmeta>`
  const tags = (bytes: number) => '<a>'.repeat(bytes / 3)
  const readTitled = async (bytes: Uint8Array) => {
    const book = await openPdf(bytes, defaultLimits)
    const pages: string[] = []
    for await (const { content } of book.pages()) pages.push(content)
    await book.close()
    return { title: book.info.title, pages }
  }
  const withXmp = (xmp: string) => writePdf({ pages: [{ content: hello }], xmp })
  /** The same file with a compressed packet. */
  const withCompressed = (xmp: string) => {
    const plain = Buffer.from(withXmp('small')).toString('latin1')
    const data = deflateSync(xmp)
    const entries = '/Type /Metadata /Subtype /XML /Filter /FlateDecode'
    const [start, end] = [plain.indexOf('5 0 obj'), plain.indexOf('endobj', plain.indexOf('5 0 obj'))]
    const object = Buffer.concat([Buffer.from('5 0 obj\n'), stream(data, entries), Buffer.from('\n')])
    return Buffer.concat([
      Buffer.from(plain.slice(0, start), 'latin1'),
      object,
      Buffer.from(plain.slice(end), 'latin1'),
    ])
  }

  test.for([
    ['that is small is read', withXmp(packet(' '.repeat(100_000))), 'Rivers'],
    ['that is small and compressed is read', withCompressed(packet(' ')), 'Rivers'],
    ['of more than a megabyte is ignored', withXmp(packet(' '.repeat(1_100_000))), null],
    ['that decompresses to 60 MB is ignored', withCompressed(packet(tags(60_000_000))), null],
    ['of 70 MB is ignored', withXmp(packet(tags(70_000_000))), null],
  ] as const)('%s; the pages are read', async ([, bytes, title]) => {
    const before = process.cpuUsage()
    expect(await readTitled(bytes)).toEqual({ title, pages: ['Hello'] })
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(4)
  })
})
