import { beforeAll, describe, expect, test } from 'vitest'
import { assemblePdf, showText } from '../../support/pdf.ts'
import type { Person } from '../../support/server.ts'
import { transports } from '../../support/transports.ts'
import { importFile } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let person: Person
let itemId: string

const line = (text: string, y: number) => showText(text, { x: 72, y })
const widget = (entries: string, rect: string) => `<< /Type /Annot /Subtype /Widget /F 4 /Rect [${rect}] ${entries} >>`
const link = (rect: string, entries: string) => `<< /Type /Annot /Subtype /Link /Rect [${rect}] ${entries} >>`
const stream = (content: string) => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`

/** A signature of the bytes up to `end`. Later signatures sign more of them. */
const signature = (name: string, more: string, end: number) =>
  `/FT /Sig /T (${name}) /V << /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached ${more} /ByteRange [0 10 20 ${end}] /Contents <00> >>`

/**
 * A form with an unsigned signature field, two signatures of which the older is above the other, a value, a comment, a
 * web link and a link to its second page.
 */
function signedForm(): Uint8Array {
  const lines = [
    line('Nobody signed:', 740),
    line('Signed by:', 700),
    line('Checked by:', 680),
    line('Name of owner:', 660),
    line('The map is kept by the society of rivers and shown on request.', 620),
    line('More of it on the next page of this form, which has the terms.', 580),
  ]
  const page = (content: number, more = '') =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 8 0 R >> >> /Contents ${content} 0 R ${more} >>`
  const comment =
    '<< /Type /Annot /Subtype /Text /F 4 /Rect [400 615 420 635] /T (Reviewer) /Contents (Is this still true?) >>'
  return assemblePdf(
    new Map([
      [1, '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [9 0 R 10 0 R 11 0 R 12 0 R] >> >>'],
      [2, '<< /Type /Pages /Count 2 /Kids [4 0 R 6 0 R] >>'],
      [3, '<< >>'],
      [4, page(5, '/Annots [9 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R]')],
      [5, stream(lines.join('\n'))],
      [6, page(7)],
      [7, stream(line('These are the terms of the form.', 700))],
      [8, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
      [9, widget('/FT /Sig /T (empty)', '165 735 300 752')],
      [
        10,
        widget(signature('first', '/Name (Ada Lovelace) /Reason (I agree) /Location (London)', 10), '145 695 300 712'),
      ],
      [11, widget(signature('second', '/Name (Grace Hopper)', 30), '145 675 300 692')],
      [12, widget('/FT /Tx /T (owner) /V (Charles Babbage)', '165 655 300 672')],
      [13, comment],
      [14, link('159 616 246 630', '/A << /S /URI /URI (https://rivers.example/society) >>')],
      [15, link('129 576 216 590', '/Dest [6 0 R /Fit]')],
    ]),
  )
}

beforeAll(async () => {
  person = await server.createPerson()
  const imported = await importFile(server, person, { filename: 'form.pdf', bytes: signedForm() })
  expect(imported.job).toMatchObject({ status: 'SUCCEEDED' })
  itemId = imported.itemId
})

const expectForm = (text: string) => {
  const plain = text.replace(/\s+/g, ' ')
  expect(plain).toMatch(
    /Nobody signed: Signed by: Ada Lovelace, I agree, London Checked by: Grace Hopper Name of owner: Charles Babbage/,
  )
  expect(plain).toMatch(/\[[^\]]*society[^\]]*\]\(https:\/\/rivers\.example\/society\)/)
  expect(plain).toMatch(/\[[^\]]+\]\(page:2\)/)
  expect(plain).toMatch(/comment[^.]*Reviewer[^.]*Is this still true\?/i)
}

describe.for(transports)('over %s', ([, transport]) => {
  test('a page of a form has its signature, values, comments and links', async () => {
    const { body } = await transport.call(server, person, 'read_items', { items: [{ id: itemId, pages: '1' }] })
    expectForm(body.items[0].pages[0].content)
  })
})

test('the Markdown export of a form has the same', async () => {
  const response = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/export?format=markdown`, {
    headers: { Authorization: `Bearer ${person.key}` },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('markdown')])
  const text = await response.text()
  expectForm(text)
  expect(text).toContain('These are the terms of the form.')
})
