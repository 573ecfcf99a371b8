import type { AccountStores } from '../accounts/store.ts'
import type { TurnStores } from '../accounts/turn-store.ts'
import type { BookStores } from '../books/store.ts'
import type { Clock, Log } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { ContentStores } from '../reading/store.ts'
import type { EmbeddingStores, Progress, TakenBook, VectorPart } from './embedding-store.ts'
import type { Embedder } from './embedder.ts'
import { embedTexts, maxPageLength } from './embed-texts.ts'
import { joinParts } from './join-parts.ts'
import { allowsEmbedding } from './own-switch.ts'
import { isScattered, planPages, type PageToEmbed } from './plan-pages.ts'
import type { Vector } from './vector.ts'

export type EmbeddingWorkServices = Clock &
  AccountStores &
  TurnStores &
  BookStores &
  ContentStores &
  EmbeddingStores & { log: Log; embedder: Embedder }

export interface WorkTimes {
  /** How long one book is processed before the next one gets its turn, ms. */
  sliceMs: number
  leaseMs: number
  /** The first pause after a failure, ms; each further one is twice as long. */
  retryMs: number
}

/** Maximum number of pages in one request, and the number of characters at which it is full. */
const batchPages = 16
const batchLength = 60_000
const maxRetryMs = 60 * 60_000
/** Number of accounts that are considered for one turn. */
const maxAccounts = 100

/**
 * Embeds pages of the next book for one time slice. Accounts take turns, and of the books of an account the one that has
 * waited longest comes first. Returns false if none waits.
 */
export async function embedNextBook(
  services: EmbeddingWorkServices,
  times: WorkTimes,
  stop: AbortSignal,
): Promise<boolean> {
  const { embeddings, now, log } = services
  const taken = await takeNextBook(services, times)
  if (!taken) return false
  try {
    const isDone = await embedBook(services, { taken, times, stop })
    await embeddings.release(taken, { again: isDone ? null : now(), failures: 0, now: now() })
  } catch (err) {
    const pause = stop.aborted ? 0 : Math.min(maxRetryMs, times.retryMs * 2 ** Math.min(20, taken.failures))
    const again = new Date(now().getTime() + pause)
    await embeddings.release(taken, { again, failures: taken.failures + (stop.aborted ? 0 : 1), now: now() })
    if (!stop.aborted) log.warn({ err, itemId: taken.id, again }, 'pages of a book could not be embedded; tried again')
  }
  return true
}

/** Claims a book of the account whose last turn is the oldest; null if none is due. */
async function takeNextBook(
  { embeddings, turns, now }: EmbeddingWorkServices,
  times: WorkTimes,
): Promise<TakenBook | null> {
  for (const turn of await turns.listWaiting('embedding', maxAccounts)) {
    const at = now()
    const leaseUntil = new Date(at.getTime() + times.leaseMs)
    if (!(await turns.take(turn, { turn: newId(at), tookOldest: false }))) continue
    const taken = await embeddings.take(turn.accountId, { fence: newId(), now: at, leaseUntil })
    if (taken) return taken
    await turns.leave(turn)
  }
  return null
}

interface Work {
  taken: TakenBook
  times: WorkTimes
  stop: AbortSignal
}

/** True if every page has its vector, or the book no longer exists. */
async function embedBook(services: EmbeddingWorkServices, work: Work): Promise<boolean> {
  const { embeddings, books, contents, embedder } = services
  const { taken } = work
  const { id, ownerId } = taken
  const [book] = await books.findOwned(ownerId, [id])
  if (!book || book.version < 1 || !(await allowsEmbedding(services, ownerId))) {
    await embeddings.removeBook(ownerId, id)
    return true
  }
  const manifest = await contents.getManifest(id, book.version)
  if (!manifest) throw new Error(`Book ${id} has no version ${book.version}`)
  const ids = taken.parts.map((part) => part.id)
  const names = taken.model === embedder.model ? await embeddings.readNames(ids) : new Map<string, string[]>()
  const { kept, missing } = planPages(manifest, names)
  const draft: Draft = {
    manifest,
    parts: kept,
    former: [],
    dimensions: taken.model === embedder.model ? taken.dimensions : 0,
  }
  const isDone = await embedMissing(services, work, { draft, missing })
  if (isDone === null) return true
  const used = new Set(draft.parts.map((part) => part.id))
  await embeddings.announce(ownerId)
  await embeddings.removeParts([...ids, ...draft.former].filter((part) => !used.has(part)))
  return isDone
}

interface Draft {
  manifest: Manifest
  parts: VectorPart[]
  /** Ids of the parts that were joined. */
  former: string[]
  /** 0: unknown. */
  dimensions: number
}

/** Embeds pages; returns whether all pages have their vectors now, or null if this worker lost the book. */
async function embedMissing(
  services: EmbeddingWorkServices,
  work: Work,
  { draft, missing }: { draft: Draft; missing: readonly PageToEmbed[] },
): Promise<boolean | null> {
  const { contents, embeddings, embedder, now } = services
  const { taken, times, stop } = work
  const until = now().getTime() + times.sliceMs
  let at = 0
  const save = () => embeddings.save(taken, progressOf(services, work, { draft, waiting: missing.length - at }))
  if (!(await save())) return null
  while (at < missing.length && now().getTime() < until) {
    stop.throwIfAborted()
    const texts = await contents.passPages(missing.slice(at, at + batchPages))
    const batch = missing.slice(at, at + countFitting(texts.map(({ content }) => content.length)))
    // Nothing is sent after its owner has switched embeddings off.
    if (!(await allowsEmbedding(services, taken.ownerId))) return false
    const sent = texts.slice(0, batch.length).map(({ content }) => content)
    const vectors = await embedTexts(embedder, sent, stop)
    at += batch.length
    const startsOver = changesDimensions(draft, vectors)
    const part = { id: newId(now()), names: batch.map(({ name }) => name), vectors: padded(vectors, draft.dimensions) }
    await embeddings.writePart({ ...part, bookId: taken.id, ownerId: taken.ownerId })
    draft.parts.push({ id: part.id, pages: Uint32Array.from(batch, ({ pageNum }) => pageNum) })
    if (!(await save())) {
      await embeddings.removeParts([part.id])
      return null
    }
    if (startsOver) return false
  }
  if (at < missing.length) return false
  if (!isScattered(draft.parts)) return true
  draft.former = draft.parts.map((part) => part.id)
  draft.parts = await joinParts(services, taken, draft)
  return (await save()) ? true : null
}

/** Adopts the dimensions of new vectors; returns true if earlier vectors have others and are discarded. */
function changesDimensions(draft: Draft, vectors: readonly Vector[]): boolean {
  const dimensions = vectors.find(({ values }) => values.length > 0)?.values.length ?? draft.dimensions
  const startsOver = draft.dimensions !== 0 && draft.dimensions !== dimensions
  if (startsOver) draft.parts = []
  draft.dimensions = dimensions
  return startsOver
}

/** Gives pages without a vector a null vector, which resembles no other, so that they do not wait forever. */
function padded(vectors: readonly Vector[], dimensions: number): Vector[] {
  return vectors.map((vector) =>
    vector.values.length === dimensions ? vector : { values: new Int8Array(dimensions), scale: 0 },
  )
}

/** Number of pages that fit into one request, at least one. */
function countFitting(lengths: readonly number[]): number {
  let [count, length] = [0, 0]
  for (const each of lengths) {
    length += Math.min(each, maxPageLength)
    if (length > batchLength && count > 0) break
    count++
  }
  return Math.max(1, count)
}

function progressOf(
  { embedder, now }: EmbeddingWorkServices,
  { times }: Work,
  { draft, waiting }: { draft: Draft; waiting: number },
): Progress {
  const { manifest, parts, dimensions } = draft
  const leaseUntil = new Date(now().getTime() + times.leaseMs)
  return { model: embedder.model, dimensions, version: manifest.version, parts, waiting, leaseUntil }
}
