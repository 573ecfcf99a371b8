import type { AccountStores } from '../accounts/store.ts'
import type { BookStores } from '../books/store.ts'
import type { Call } from '../core/context.ts'
import { readDigest } from '../imports/add-local-file.ts'
import { libraryRoom } from '../imports/library-room.ts'
import { nameKey } from '../shelves/require-unique-name.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { BookSource, FoundFile } from './book-source.ts'
import type { TallyRow } from './tally.ts'
import { createTally } from './tally.ts'
import { sizeProblem } from './take-file.ts'

/** A preview of a folder import. */
export interface ImportPlan {
  found: number
  /** Number of new books, and the total size of their files. */
  added: number
  bytes: number
  existing: number
  copies: number
  /** Names of shelves to create. */
  newShelves: string[]
  leftOut: TallyRow[]
  failed: TallyRow[]
  notKept: TallyRow[]
  /** Number of books that exceed the plan. */
  tooMany: number
  /** Bytes of files that exceed the plan. */
  bytesTooMany: number
}

/** Reads the files of a source and returns what an import would do. Changes nothing. */
export async function planImport(
  ctx: Call & BookStores & AccountStores & ShelfStores,
  source: BookSource,
  signal: AbortSignal,
): Promise<ImportPlan> {
  const failed = createTally()
  const digests = new Set<string>()
  const shelves = new Map<string, string>()
  const known = new Set((await ctx.shelves.list(ctx.actor.id)).map(({ name }) => nameKey(name)))
  let [added, bytes, existing, copies] = [0, 0, 0, 0]
  for await (const file of source.files()) {
    if (signal.aborted) break
    const problem = sizeProblem(ctx, file)
    if (problem !== null) {
      source.leftOut.add(problem, file.name)
      continue
    }
    const digest = await identify(file)
    if (digest === null) {
      failed.add('cannot be read', file.name)
      continue
    }
    for (const name of file.shelves) if (!known.has(nameKey(name))) shelves.set(nameKey(name), name)
    if (digests.has(digest.sha256)) copies += 1
    else if (await exists(ctx, file, digest.sha256)) existing += 1
    else {
      added += 1
      bytes += digest.bytes
    }
    digests.add(digest.sha256)
  }
  const { booksLeft, storageLeft } = await libraryRoom(ctx)
  return {
    found: source.total.files,
    added,
    bytes,
    existing,
    copies,
    newShelves: [...shelves.values()],
    leftOut: source.leftOut.rows(),
    failed: failed.rows(),
    notKept: source.notKept.rows(),
    tooMany: Math.max(0, added - booksLeft),
    bytesTooMany: storageLeft === null ? 0 : Math.max(0, bytes - storageLeft),
  }
}

/** Identifies a file: by its digest, or for a file on another server by its origin, because it is not downloaded. */
async function identify({ path, bytes, remote }: FoundFile): Promise<{ sha256: string; bytes: number } | null> {
  return remote ? { sha256: remote.origin, bytes } : readDigest(path).catch(() => null)
}

async function exists({ actor, books }: Call & BookStores, { remote }: FoundFile, sha256: string): Promise<boolean> {
  const found = remote
    ? books.findByOrigin(actor.id, remote.origin)
    : books.findDuplicateFile(actor.id, { sha256, excludeId: '' })
  return (await found) !== null
}
