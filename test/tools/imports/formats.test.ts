import { beforeAll, describe, expect, test } from 'vitest'
import { buildKindle } from '../../support/kindle.ts'
import { buildEpub } from '../../support/epub.ts'
import type { Person } from '../../support/server.ts'
import { smallBookPages, smallBooks } from '../../support/small-books.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { transports } from '../../support/transports.ts'
import { callOverRest, confirmUpload, importFile, sendFile } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const files = [
  ['Tides.docx', 'docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['Tides.odt', 'odt', 'application/vnd.oasis.opendocument.text', 'odt'],
  ['Tides.rtf', 'rtf', 'application/rtf', 'rtf'],
  ['Tides.mobi', 'mobi', 'application/x-mobipocket-ebook', 'mobi'],
  ['Tides.azw3', 'azw3', 'application/vnd.amazon.mobi8-ebook', 'azw3'],
  ['Tides.fb2', 'fb2', 'application/x-fictionbook+xml', 'fb2'],
  ['Tides.html', 'html', 'text/html', 'html'],
  ['Tides.mhtml', 'mhtml', 'text/html', 'html'],
  ['Tides.txt', 'text', 'text/plain', 'text'],
] as const

describe.for(files)('the file %s', ([filename, kind, contentType, fileFormat]) => {
  let itemId: string
  let sent: Buffer

  beforeAll(async () => {
    sent = await smallBooks[kind]()
    const imported = await importFile(server, person, { filename, bytes: sent, contentType })
    itemId = imported.itemId
    expect(imported.job).toMatchObject({ status: 'SUCCEEDED', errorCode: null })
    expect(imported.item).toMatchObject({ status: 'READY', health: 'ok', pageCount: 2, sourceType: 'epub', fileFormat })
  })

  test.for(transports)('is imported with its contents over %s', async ([, transport]) => {
    const read = await transport.call(server, person, 'read_items', { items: [{ id: itemId, pages: '1-2' }] })
    for (const text of smallBookPages) expect(JSON.stringify(read.body ?? read.text)).toContain(text)
    const toc = await transport.call(server, person, 'get_table_of_contents', { ids: [itemId] })
    expect(JSON.stringify(toc.body ?? toc.text)).toMatch(/Chapter 1.*Chapter 2/)
  })

  test('is returned unchanged', async () => {
    const { key } = person
    const response = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/file`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(response.headers.get('content-type')).toBe(contentType)
    expect(response.headers.get('content-disposition')).toContain(`attachment; filename="${filename}"`)
    expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true)
  })
})

test('a file with a wrong name is imported by its content', async () => {
  const { item } = await importFile(server, person, {
    filename: 'letter.docx',
    bytes: await smallBooks.html(),
    contentType: files[0][2],
  })
  expect(item).toMatchObject({ status: 'READY', sourceType: 'epub', fileFormat: 'html' })
})

test.for([
  ['a PDF named as a Word document', 'a.docx', files[0][2], () => smallBooks.pdf()],
  ['plain text named as a Word document', 'a.docx', files[0][2], () => smallBooks.text()],
  ['a program named as text', 'a.txt', 'text/plain', async () => Buffer.from('MZ\0\0')],
] as const)('%s is refused when it is confirmed', async ([, filename, contentType, make]) => {
  const upload = await sendFile(server, person, { filename, contentType, bytes: await make() })
  const answer = await confirmUpload(server, person, upload)
  expect(answer).toMatchObject({
    status: 400,
    body: { reason: 'UPLOAD_TYPE_MISMATCH' },
  })
})

const oldOffice = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0])

describe('a format that Lectern does not read is refused with what to do', () => {
  test.for([
    ['Letter.doc', '.doc', '.docx or PDF'],
    ['Talk.PPTX', '.pptx', 'PDF'],
    ['Scan.djvu', '.djvu', 'PDF'],
    ['Help.chm', '.chm', 'EPUB'],
  ] as const)('by its name, such as %s', async ([filename, extension, target]) => {
    const message = new RegExp(`^Lectern does not read ${extension} files. Save it as ${target}, then add that copy.$`)
    const declared = { filename, size: 10, contentType: 'application/octet-stream' }
    const answer = await callOverRest(server, person, 'start_upload', declared)
    expectRefusal(answer, 'rest', { status: 400, message })
  })

  const comic = ['Tides.cbz', 'application/vnd.comicbook+zip'] as const
  const kindle = ['Tides.azw3', 'application/vnd.amazon.ebook'] as const
  const bytesOf = (start: string, at = 0) => Buffer.concat([Buffer.alloc(at), Buffer.from(`${start}\0`, 'latin1')])

  test.for([
    ['older Office files, such as .doc, or Office files with a password', 'Letter.docx', files[0][2], oldOffice],
    ['RAR archives', ...comic, bytesOf('Rar!\x1a\x07')],
    ['7z archives', ...comic, bytesOf("7z\xbc\xaf'\x1c")],
    ['Topaz files for Kindle', ...kindle, bytesOf('TPZ0')],
    ['.kfx files', ...kindle, bytesOf('CONT\x02')],
    ['copy-protected .kfx files', ...kindle, bytesOf('\xeaDRMION\xee')],
    ['Palm documents', ...kindle, bytesOf('TEXtREAd', 60)],
  ] as const)('by its content: %s', async ([kind, filename, contentType, bytes]) => {
    const answer = await confirmUpload(server, person, await sendFile(server, person, { filename, contentType, bytes }))
    const message = /^Lectern does not read .+\. Save it as .+, then add that copy\.$/
    expectRefusal(answer, 'rest', { status: 400, message, fields: { reason: 'UPLOAD_TYPE_MISMATCH' } })
    expect(answer.body.error).toContain(kind)
  })
})

test('a comic has a page for each picture and says that it has no text', async () => {
  const { item, job, itemId } = await importFile(server, person, {
    filename: 'Tides.cbz',
    bytes: await smallBooks.cbz(),
    contentType: 'application/vnd.comicbook+zip',
  })
  expect(job).toMatchObject({ status: 'SUCCEEDED' })
  expect(item).toMatchObject({ status: 'READY', health: 'empty', pageCount: 2, sourceType: 'epub', fileFormat: 'cbz' })
  expect(item.healthReason).toMatch(/page images and no text/)
  const { body } = await callOverRest(server, person, 'read_items', { items: [{ id: itemId, pages: '1-2' }] })
  for (const { content } of body.items[0].pages) expect(content).toMatch(/^!\[\]\(figure:[0-9a-f]{16}\)$/)
})

test('a protected MOBI fails with a reason', async () => {
  const { item, job } = await importFile(server, person, {
    filename: 'a.mobi',
    contentType: 'application/x-mobipocket-ebook',
    bytes: buildKindle({ encryption: 2 }),
  })
  expect(job).toMatchObject({ status: 'FAILED', errorCode: 'DRM' })
  expect(item.healthReason).toMatch(/copy-protected/)
})

test('an archive without a document fails with a reason', async () => {
  const { item, job } = await importFile(server, person, {
    filename: 'a.odt',
    contentType: files[1][2],
    bytes: await buildEpub({ files: { 'META-INF/container.xml': null } }),
  })
  expect(job).toMatchObject({ status: 'FAILED', errorCode: 'BROKEN' })
  expect(item.healthReason).toMatch(/damaged, or its content does not match its file name/)
})

test('elements that are nested too deeply have a separate reason', async () => {
  const bytes = Buffer.from(`<!DOCTYPE html><html><body>${'<div>'.repeat(5_000)}x`)
  const { item, job } = await importFile(server, person, { filename: 'a.html', contentType: 'text/html', bytes })
  expect(job).toMatchObject({ status: 'FAILED', errorCode: 'TOO_DEEP' })
  expect(item.healthReason).toMatch(/nested more deeply/)
})
