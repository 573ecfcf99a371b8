import { expect, test } from 'vitest'
import { openHtml } from '../../../src/imports/formats/document/html/open-html.ts'
import { defaultLimits, FormatError } from '../../../src/imports/formats/format.ts'
import { matchesFormat } from '../../../src/imports/formats/match-format.ts'
import { photograph } from '../../support/figures.ts'
import { readDocument } from '../../support/read-document.ts'
import { quotedPrintable, webArchive } from '../../support/web-archive.ts'

const address = 'https://tides.example/guide?x=1'
const pageFields = {
  'Content-Type': 'text/html',
  'Content-ID': '<frame-1@mhtml.blink>',
  'Content-Transfer-Encoding': 'quoted-printable',
  'Content-Location': address,
}
const pictureFields = (location: string) => ({
  'Content-Type': 'image/jpeg',
  'Content-Transfer-Encoding': 'base64',
  'Content-Location': location,
})
const filler = 'The water rises and falls twice a day. '.repeat(60)

const pageOf = (body: string, head = '') =>
  quotedPrintable(Buffer.from(`<!DOCTYPE html><html lang="fr"><head>${head}</head><body>${body}</body></html>`))

/** Encodes bytes in lines of 76 characters. */
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n')

test('a page that a browser saved as one file is read with its metadata, encoding and lines', async () => {
  const head = '<title>Été à la mer</title><meta name="author" content="Ana Díaz">'
  const body = `<nav><a href="https://tides.example/">Home</a></nav><main><h1>Été</h1><p>2 = 1 + 1 à la mer. ${filler}</p></main>`
  const { info, text, toc, format } = await readDocument(webArchive([[pageFields, pageOf(body, head)]]), 'html')
  expect(info).toMatchObject({ title: 'Été à la mer', author: 'Ana Díaz', language: 'fr' })
  expect(text).toBe(`# Été\n\n2 = 1 + 1 à la mer. ${filler.trim()}`)
  expect(toc).toEqual([{ title: 'Été', page: 1, level: 1 }])
  expect(format).toBe('html')
})

test.for([
  ['its full address', 'https://tides.example/a.jpg', 'https://tides.example/a.jpg', {}],
  ['an address relative to the page', 'img/a.jpg', 'https://tides.example/img/a.jpg', {}],
  [
    'a file beside the page, as Word saves it',
    'x_files/a.jpg',
    'file:///C:/docs/x_files/a.jpg',
    { 'Content-Location': 'file:///C:/docs/x.htm' },
  ],
  ['its number', 'cid:picture-1', 'https://tides.example/other.jpg', {}],
] as const)('a picture is found by %s', async ([, src, location, fields]) => {
  const parts = [
    [{ ...pageFields, ...fields }, pageOf(`<p>Low water.</p><img src="${src}" alt="A wave">`)],
    [{ ...pictureFields(location), 'Content-ID': '<picture-1>' }, base64(photograph())],
  ] as const
  const { figures, text } = await readDocument(webArchive(parts), 'html')
  expect(figures).toHaveLength(1)
  expect(text).toMatch(/^Low water\.\n\n!\[A wave\]\(figure:\w+\)$/)
})

test('style sheets of the archive apply', async () => {
  const css = '@charset "utf-8";\n\n.b { font-weight: bold; }'
  const parts = [
    [pageFields, pageOf('<p>One <span class="b">two</span></p>', '<link rel="stylesheet" href="cid:css-1">')],
    [{ 'Content-Type': 'text/css', 'Content-ID': '<css-1>' }, css],
  ] as const
  expect((await readDocument(webArchive(parts), 'html')).text).toBe('One **two**')
})

test('a link to a place of the page leads to the page of the book', async () => {
  const far = `<h2 id="ebb">Ebb</h2><p>${filler}</p>`.repeat(3).replace('id="ebb"', '').replace('id="ebb"', '')
  const page = `<p>See <a href="${address}#ebb">ebb</a> and <a href="https://tides.example/x#ebb">elsewhere</a>.</p>${far}`
  const { pages } = await readDocument(webArchive([[pageFields, pageOf(page)]]), 'html')
  expect(pages.length).toBeGreaterThan(1)
  expect(pages[0]?.content).toContain(`See [ebb](page:${pages.length}) and [elsewhere](https://tides.example/x#ebb).`)
})

test('an encoding that only the archive declares is used', async () => {
  const body = Buffer.from('<html><body><p>\xb9\xe9\xd3</p></body></html>', 'latin1')
  const fields = { 'Content-Type': 'text/html; charset="windows-874"', 'Content-Transfer-Encoding': '8bit' }
  expect((await readDocument(webArchive([[fields, body]]), 'html')).text).toBe('น้ำ')
})

test('the page is the part that the archive names, also inside another multipart', async () => {
  const html = (words: string) => `<html><body><p>${words}</p></body></html>`
  const inner = [
    '--inner',
    'Content-Type: text/html',
    '',
    html('A frame.'),
    '--inner',
    'Content-Type: text/html',
    'Content-ID: <main>',
    '',
    html('The page.'),
    '--inner--',
  ].join('\r\n')
  const named = { 'Content-Type': 'multipart/related; start="<main>"; boundary=----MultipartBoundary--of-a-test----' }
  const parts = [[{ 'Content-Type': 'multipart/alternative; boundary=inner' }, inner]] as const
  expect((await readDocument(webArchive(parts, named), 'html')).text).toBe('The page.')
  expect((await readDocument(webArchive(parts), 'html')).text).toBe('A frame.')
})

test('it is recognised by its first lines, even if its address and title are long', () => {
  const long = { Subject: 'x'.repeat(3_000) }
  expect(matchesFormat(webArchive([], long).subarray(0, 1_024), 'docx')).toBe(true)
  expect(matchesFormat(webArchive([], { From: 'me' }), 'docx')).toBe(true)
  expect(matchesFormat(Buffer.from('To: you\r\nSubject: letters of one Content-Type: multipart/related'), 'docx')).toBe(
    false,
  )
  expect(matchesFormat(Buffer.from('Note: a header of a mail\r\nContent-Type: multipart/related'), 'docx')).toBe(false)
})

test.for([
  ['no page', webArchive([[{ 'Content-Type': 'text/css' }, 'p {}']]), 'BROKEN'],
  ['no parts', webArchive([]), 'BROKEN'],
  ['no boundary', webArchive([[pageFields, pageOf('<p>x</p>')]], { 'Content-Type': 'multipart/related' }), 'BROKEN'],
  ['a page without text', webArchive([[pageFields, pageOf('')]]), 'EMPTY'],
  [
    '120,000 nested bodies without parts',
    webArchive(Array.from({ length: 120_000 }, () => [{ 'Content-Type': 'multipart/mixed; boundary=absent' }, 'x'])),
    'BROKEN',
  ],
  [
    '20,000 parts',
    webArchive(
      Array.from({ length: 20_000 }, () => [{ 'Content-Type': 'text/css' }, '']),
      {},
    ),
    'TOO_LARGE',
  ],
] as const)('an archive with %s is refused', async ([, bytes, code]) => {
  await expect(readDocument(bytes, 'html')).rejects.toMatchObject({ code })
})

test('a page or archive above the limits is refused', async () => {
  const bytes = webArchive([[pageFields, pageOf(`<p>${filler}</p>`)]])
  const refused = { code: 'TOO_LARGE' }
  await expect(openHtml(bytes, { ...defaultLimits, entryBytes: 1_000 })).rejects.toMatchObject(refused)
  await expect(openHtml(bytes, { ...defaultLimits, totalBytes: 1_000 })).rejects.toMatchObject(refused)
})

test('an archive that is cut off anywhere is read as far as it goes, or refused', async () => {
  const whole = webArchive([
    [pageFields, pageOf('<p>Low water.</p><img src="a.jpg" alt="A wave"><p>High water.</p>')],
    [pictureFields('https://tides.example/a.jpg'), base64(photograph())],
  ])
  for (let length = 1; length < whole.length; length += length < 1_000 ? 7 : 997) {
    const ended = await readDocument(whole.subarray(0, length), 'html').catch((error: unknown) => error)
    if (ended instanceof Error) expect(ended).toBeInstanceOf(FormatError)
  }
  expect((await readDocument(whole, 'html')).figures).toHaveLength(1)
})
