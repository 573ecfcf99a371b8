import { openSnapshot } from '../db/snapshot.ts'
import { fillPlace, type Place } from './fill-place.ts'
import type { Show, StoredLibrary } from './library.ts'
import { readLive, type Lost } from './live-parts.ts'
import type { Totals } from './parts.ts'

export interface Copied extends Lost {
  isOneMoment: boolean
  totals: Totals
}

/**
 * Copies a library to an empty place and verifies the result. Only reads the source. After a failure, the place is
 * empty again; after a kill it is marked, and the next copy starts again.
 */
export async function copyLibrary(
  library: StoredLibrary,
  place: Place,
  { show, keepSecret }: { show: Show; keepSecret(): Promise<void> },
): Promise<Copied> {
  const { database, files } = library
  const snapshot = await openSnapshot({ ...library, ...database, url: library.url })
  try {
    const filler = await fillPlace(place, { filling: 'copy', schema: snapshot.schema, show })
    try {
      const live = readLive({ snapshot, files, db: database.db }, (percent) => show('Files', percent))
      for await (const part of live.documents()) {
        await filler.add(part)
        show('Store', null)
      }
      await snapshot.close()
      if (place.files !== null) for await (const part of live.files()) await filler.add(part)
      const lost = place.files === null ? { missing: [], erased: [] } : await live.lost()
      await keepSecret()
      return { ...lost, isOneMoment: snapshot.isOneMoment, totals: await filler.finish(show) }
    } catch (error) {
      // If removal fails now, the mark stays.
      await filler.abandon().catch(() => {})
      throw error
    }
  } finally {
    await snapshot.close()
  }
}
