import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { explainArchiveFile } from './archive-file-error.ts'
import { readArchive } from './archive-reader.ts'
import { fillPlace, type Filler, type Place } from './fill-place.ts'
import type { Show } from './library.ts'
import type { Manifest } from './manifest.ts'

interface RestoreOptions {
  show: Show
  /** Called with the secret of the archive (null if it has none) before the library can be used. */
  keepSecret(secret: string | null, manifest: Manifest): Promise<void>
}

/** Reads and verifies a whole archive file. Throws `StartError` if it is damaged. */
export async function verifyArchive(path: string, show: Show): Promise<void> {
  try {
    for await (const _ of readArchive(await openArchive(path, (percent) => show('Verify', percent))));
  } catch (error) {
    throw explainArchiveFile(error, path)
  }
}

/** The bytes of an archive file. */
export async function openArchive(path: string, onPercent: (percent: number) => void): Promise<Readable> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw explainArchiveFile(error, path)
  })
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 })
  let read = 0
  stream.on('data', (chunk) => {
    read += chunk.length
    onPercent(Math.floor((100 * read) / Math.max(size, 1)))
  })
  stream.pause()
  return stream
}

/**
 * Restores an archive to an empty place. After a failure, the place is empty again; after a kill it is marked, and the
 * next restore starts again. Throws `StartError` for a damaged archive and for a place that is not empty.
 */
export async function restoreArchive(
  archive: Readable,
  place: Place,
  { show, keepSecret }: RestoreOptions,
): Promise<Manifest> {
  let [filler, secret, ended]: [Filler | null, string | null, Manifest | null] = [null, null, null]
  try {
    for await (const part of readArchive(archive)) {
      if (part.kind === 'head') filler = await fillPlace(place, { filling: 'restore', schema: part.head.schema, show })
      else if (part.kind === 'secret') secret = part.secret
      else if (part.kind === 'end') ended = part.manifest
      else {
        await filler?.add(part)
        show('Restore', null)
      }
    }
    if (filler === null || ended === null) throw new Error('The archive has no end')
    await keepSecret(secret, ended)
    await filler.finish(show)
    return ended
  } catch (error) {
    // If removal fails now, the mark stays.
    await filler?.abandon().catch(() => {})
    throw error
  }
}
