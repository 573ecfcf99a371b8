import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ExtractionError } from '../../src/imports/extract/extraction-error.ts'
import { testJpeg } from '../support/drawing.ts'
import { pictureReader, type PictureReader } from '../support/picture-client.ts'
import { writePdf } from '../support/pdf.ts'
import { addFile, waitForJobEnd } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()

const pages = Array.from({ length: 12 }, (_, n) => ({ content: `BT /F1 24 Tf 72 700 Td (Page ${n}) Tj ET` }))

/** A person with a PDF, and the path of its page pictures. */
async function personWithPdf(): Promise<PictureReader & { picture: (page: number) => string }> {
  const person = await pictureReader(server)
  const file = { filename: `${person.id}.pdf`, bytes: writePdf({ pages }) }
  const { itemId, jobId } = await addFile(server, person, file)
  await waitForJobEnd(server, person, jobId, 100_000)
  return { ...person, picture: (page) => `/books/${itemId}/pages/${page}/picture` }
}

test(
  'files whose pages take too long to draw leave places to the pages of other people',
  { timeout: 120_000 },
  async () => {
    const { pictures } = server.running.opened.services
    const slow: Awaited<ReturnType<typeof personWithPdf>>[] = []
    for (let number = 0; number < 4; number++) slow.push(await personWithPdf())
    const other = await personWithPdf()
    const running = new Set<object>()
    const first = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const timesOut = () => new ExtractionError('TIMED_OUT', 'too slow')
    const drawn = { mediaType: 'image/jpeg', width: 1, height: 1, bytes: testJpeg(1, 1), drawingMs: 0 } as const
    pictures.renderer.draw = async ({ accountId, page }) => {
      if (accountId === other.id) return drawn
      const drawing = {}
      running.add(drawing)
      await (page === 1 ? first : ended).promise
      running.delete(drawing)
      throw timesOut()
    }
    const failing = slow.map((person) => person.load(person.picture(1)))
    while (running.size < 2) await delay(10)
    const held = slow.flatMap((person) => [2, 3, 4].map((page) => person.load(person.picture(page))))
    const shown = other.load(other.picture(1))
    first.resolve()
    expect((await shown).status).toBe(200)
    for (const { status } of await Promise.all(failing)) expect(status).toBe(404)
    expect((await other.load(other.picture(2))).status).toBe(200)
    expect(running.size).toBe(1)
    ended.resolve()
    await Promise.all(held)
  },
)
