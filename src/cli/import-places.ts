import { ClientError } from './client-error.ts'
import type { ExportArchive } from './export-archive.ts'
import { ExportedManuscripts, ExportedShelves } from './export-schema.ts'
import { callWithinRateLimit } from './rate-limited-calls.ts'
import type { Server } from './server.ts'

export interface PlacesReport {
  shelves: { created: number; placed: number }
  manuscripts: number
  /** Refused objects with reasons. */
  refused: { what: string; reason: string }[]
}

interface Places {
  server: Server
  archive: ExportArchive
  /** The ids of books here, by their ids in the export. */
  ids: ReadonlyMap<string, string>
}

/** Maximum number of books that one call puts on a shelf. */
const maxBooks = 100

/** Creates missing shelves and manuscripts, and puts the books on the shelves. */
export async function importPlaces(places: Places): Promise<PlacesReport> {
  const report: PlacesReport = { shelves: { created: 0, placed: 0 }, manuscripts: 0, refused: [] }
  await importShelves(places, report)
  await importManuscripts(places, report)
  return report
}

async function importShelves({ server, archive, ids }: Places, report: PlacesReport): Promise<void> {
  const listed = await callWithinRateLimit(server, 'GET', { path: '/api/v1/shelves' })
  const here = new Map((listed['shelves'] as { id: string; name: string }[]).map(({ id, name }) => [name, id]))
  for (const { name, color, books } of await archive.json('shelves.json', ExportedShelves)) {
    await orNote(report, `the shelf ${name}`, async () => {
      const known = here.get(name)
      const id = known ?? (await createShelf(server, { name, color }))
      if (known === undefined) report.shelves.created += 1
      const path = `/api/v1/shelves/${encodeURIComponent(id)}/items`
      const itemIds = books.flatMap((book) => ids.get(book.id) ?? [])
      for (let from = 0; from < itemIds.length; from += maxBooks) {
        const part = itemIds.slice(from, from + maxBooks)
        await callWithinRateLimit(server, 'POST', { path, body: { itemIds: part } })
        report.shelves.placed += part.length
      }
    })
  }
}

async function createShelf(server: Server, { name, color }: { name: string; color: string | null }): Promise<string> {
  const body = { name, ...(color === null ? {} : { color }) }
  return String((await callWithinRateLimit(server, 'POST', { path: '/api/v1/shelves', body }))['id'])
}

async function importManuscripts({ server, archive, ids }: Places, report: PlacesReport): Promise<void> {
  const exported = await archive.json('manuscripts.json', ExportedManuscripts)
  if (exported.length === 0) return
  const listed = await callWithinRateLimit(server, 'GET', { path: '/api/v1/manuscripts' })
  const here = new Set((listed['manuscripts'] as { itemId: string }[]).map(({ itemId }) => itemId))
  for (const { itemId: exportedId, status, ...fields } of exported) {
    const itemId = ids.get(exportedId)
    if (itemId === undefined || here.has(itemId)) continue
    await orNote(report, `the manuscript ${fields.title}`, async () => {
      const made = await callWithinRateLimit(server, 'POST', {
        path: '/api/v1/manuscripts',
        body: { ...fields, itemId },
      })
      const { id } = made['manuscript'] as { id: string }
      if (status !== 'ACTIVE')
        await callWithinRateLimit(server, 'PUT', { path: `/api/v1/manuscripts/${id}`, body: { status } })
      report.manuscripts += 1
    })
  }
}

/** Records a refusal and continues; an unreachable server ends the import. */
async function orNote(report: PlacesReport, what: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof ClientError) || error.code === 'UNAVAILABLE') throw error
    report.refused.push({ what, reason: error.message })
  }
}
