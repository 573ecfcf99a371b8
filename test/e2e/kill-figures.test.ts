import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileFormats } from '../../src/books/file-formats.ts'
import { findFigureMarkers } from '../../src/text/figure-markers.ts'
import {
  figureKeys,
  illustratedAzw3,
  illustratedEpub,
  illustratedMobi,
  illustratedPdf,
} from '../support/illustrated-book.ts'
import { isNightly } from '../support/is-nightly.ts'
import { killAtEveryStep, makeLibrary, type Library } from '../support/kill-at-every-step.ts'
import { smallBooks } from '../support/small-books.ts'
import { send } from '../support/transports.ts'
import { unwrap, confirmUpload, readPageTexts, sendFile, waitForJobEnd, type JobBody } from '../support/uploads.ts'

// Each step starts a server twice; all steps take half a minute on an idle machine.
const limitMs = 600_000

let library: Library

beforeAll(async () => {
  library = await makeLibrary()
}, limitMs)
afterAll(() => rm(library.directory, { recursive: true, force: true }))

const makers = {
  epub: illustratedEpub,
  pdf: illustratedPdf,
  cbz: smallBooks.cbz,
  // Kindle files are read as EPUBs, with the same steps. They are tested in nightly runs only.
  ...(isNightly && { mobi: illustratedMobi, azw3: illustratedAzw3 }),
}

test.for(Object.entries(makers))(
  'a server that is killed after any step of the import of an illustrated %s has each figure exactly once after its restart',
  { timeout: limitMs },
  async ([kind, make]) => {
    const bytes = await make()
    const contentType = fileFormats[kind as keyof typeof makers].contentTypes[0] as string
    const file = { filename: `illustrated.${kind}`, bytes, contentType }
    const kills = await killAtEveryStep(library, {
      prepare: (baseUrl) => sendFile({ baseUrl }, library, file),
      async act(baseUrl, upload) {
        const { job } = unwrap<{ job: { id: string } }>(await confirmUpload({ baseUrl }, library, upload))
        await waitForJobEnd({ baseUrl }, library, job.id, 120_000)
      },
      async recover(server, upload) {
        expect([200, 409]).toContain((await confirmUpload(server, library, upload)).status)
        const listJobs = async () =>
          unwrap<{ jobs: JobBody[] }>(await send(server, library.key, { method: 'GET', path: '/api/v1/jobs' })).jobs
        await expect.poll(async () => (await listJobs()).length, { timeout: 10_000 }).toBe(1)
        const [job] = await listJobs()
        expect(await waitForJobEnd(server, library, job?.id ?? '', 120_000)).toMatchObject({ status: 'SUCCEEDED' })
        const pages = await readPageTexts(server, library, upload.itemId)
        const named = pages.flatMap((text) => findFigureMarkers(text).map(({ id }) => id))
        const stored = (await figureKeys(server, upload.itemId)).map((key) => key.split('/').at(-1)?.split('.')[0])
        expect(named).toHaveLength(2)
        expect(stored.toSorted()).toEqual(named.toSorted())
      },
    })
    expect(kills).toBeGreaterThan(10)
  },
)
