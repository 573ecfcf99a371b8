import { setTimeout as sleep } from 'node:timers/promises'
import type { AddFileServices } from '../imports/add-local-file.ts'
import { AppError } from '../core/errors.ts'
import { isActive } from '../imports/list-imports.ts'
import { keepOwnCover } from '../imports/pictures/own-cover.ts'
import type { PictureServices } from '../imports/pictures/pictures.ts'
import { maxWaitingImports } from '../imports/require-queue-capacity.ts'
import type { BookSource, FoundFile } from './book-source.ts'
import { createFollowedImports, type FollowedImports } from './followed-imports.ts'
import type { ImportProgress, ImportReport } from './import-report.ts'
import { createShelfPlaces, type ShelfPlaces, type ShelfPlaceServices } from './shelf-places.ts'
import { createTally, type Tally } from './tally.ts'
import { takeFile, type TakenFile } from './take-file.ts'

/** Maximum number of waiting imports: half of the limit, so that people can add files in the meantime. */
const maxRunningImports = maxWaitingImports / 2
const pollIntervalMs = 500

export interface ImportOptions {
  /** True: wait until the imports have ended; false: until the last one is queued. */
  wait: boolean
  /** Stops before the next file; queued imports continue. */
  signal: AbortSignal
  onProgress(progress: ImportProgress): void
  /** Called while waiting for imports, with those that no worker has started. */
  help(waiting: ReturnType<FollowedImports['waiting']>): void
}

type ImportServices = AddFileServices & ShelfPlaceServices & PictureServices

interface Run {
  ctx: ImportServices
  source: BookSource
  options: ImportOptions
  report: ImportReport
  places: ShelfPlaces
  followed: FollowedImports
  /** Digests of the files that became books in this run, to recognise copies. */
  digests: Set<string>
  /** Files that did not become books. */
  refused: Tally
  startedAt: number
  /** Completed files without an import to wait for. */
  passed: { files: number; bytes: number }
}

/**
 * Adds the files of a source as books, and puts them on shelves. A file that the library already has is not added
 * again, but its shelf places are restored. Keeps the import queue from filling up; stops at the limits of the plan.
 */
export async function importFiles(
  ctx: ImportServices,
  source: BookSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const run: Run = {
    ctx,
    source,
    options,
    report: emptyReport(source),
    places: createShelfPlaces(ctx),
    followed: createFollowedImports(ctx),
    digests: new Set(),
    refused: createTally(),
    startedAt: performance.now(),
    passed: { files: 0, bytes: 0 },
  }
  for await (const file of source.files()) {
    if (run.report.stopped || !(await importFile(run, file))) break
    showProgress(run)
  }
  await run.places.flush()
  await run.followed.checkEnded()
  while (options.wait && run.followed.size() > 0 && (await rest(run)));
  if (options.signal.aborted) run.report.stopped ??= { code: 'INTERRUPTED', message: 'The import was interrupted.' }
  return completeReport(run)
}

function emptyReport({ total }: BookSource): ImportReport {
  return {
    found: total.files,
    added: 0,
    existing: 0,
    copies: 0,
    waiting: 0,
    pages: 0,
    shelves: { created: 0, placed: 0, notMade: [] },
    leftOut: [],
    failed: [],
    refused: [],
    needAttention: [],
    notKept: [],
    stopped: null,
  }
}

/** Imports one file; returns false if the import must stop before it. */
async function importFile(run: Run, file: FoundFile): Promise<boolean> {
  while (run.followed.size() >= maxRunningImports) if (!(await rest(run))) return false
  if (run.options.signal.aborted) return false
  const taken = await takeFile(run.ctx, file)
  if (run.options.signal.aborted && taken.kind === 'failed') return false
  if (taken.kind === 'later') return (await rest(run)) && importFile(run, file)
  if (taken.kind === 'full') {
    run.report.stopped = { code: 'PLAN_LIMIT_EXCEEDED', message: taken.reason }
    return false
  }
  await record(run, file, taken)
  return true
}

type EndedFile = Exclude<TakenFile, { kind: 'later' | 'full' }>

async function record(
  { ctx, options, report, source, places, followed, digests, passed, refused }: Run,
  file: FoundFile,
  taken: EndedFile,
) {
  if (!('book' in taken)) {
    const tally = taken.kind === 'leftOut' ? source.leftOut : followed.failed
    tally.add(taken.reason, file.name)
    if (taken.kind === 'failed') refused.add(taken.reason, file.name)
    pass(passed, file)
    return
  }
  const { book, sha256 } = taken
  if (taken.kind === 'added') report.added += 1
  else if (digests.has(sha256)) report.copies += 1
  else report.existing += 1
  const isUnended = isActive(book.job)
  const isFollowed = isUnended && !digests.has(sha256) && (taken.kind === 'added' || options.wait)
  digests.add(sha256)
  if (isFollowed) followed.follow(book, file)
  else pass(passed, file)
  await places.place(book.itemId, file.shelves)
  await keepCover(ctx, source, { itemId: book.itemId, file })
}

/** Stores the cover from the catalogue, unless the book already has an uploaded one. */
async function keepCover(
  ctx: ImportServices,
  { notKept }: BookSource,
  { itemId, file }: { itemId: string; file: FoundFile },
): Promise<void> {
  if (!file.readCover) return
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book || book.ownCover) return
  try {
    await keepOwnCover(ctx, { itemId, bytes: await file.readCover() })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    notKept.add(`covers: ${error.message}`, file.name)
  }
}

function pass(passed: Run['passed'], { bytes }: FoundFile): void {
  passed.files += 1
  passed.bytes += bytes
}

/** Waits a moment for imports; returns false once the folder import must stop. */
async function rest(run: Run): Promise<boolean> {
  const { followed, options } = run
  await sleep(pollIntervalMs, undefined, { signal: options.signal }).catch(() => undefined)
  if (options.signal.aborted) return false
  await run.places.flush()
  await followed.checkEnded()
  options.help(followed.waiting())
  showProgress(run)
  return true
}

function showProgress({ source, followed, options, startedAt, passed }: Run): void {
  const { files, bytes, pages } = followed.ended()
  const seconds = (performance.now() - startedAt) / 1000
  const bytesLeft = source.total.bytes - passed.bytes - bytes
  // Estimates only after several seconds and books, because the first book waits for a process to start.
  const secondsLeft = files >= 3 && seconds >= 5 && bytes > 0 ? Math.ceil((seconds * bytesLeft) / bytes) : null
  options.onProgress({ done: passed.files + files, total: source.total.files, pages, secondsLeft })
}

function completeReport({ report, source, places, followed, refused }: Run): ImportReport {
  return {
    ...report,
    waiting: followed.size(),
    pages: followed.ended().pages,
    shelves: { created: places.created(), placed: places.placed(), notMade: places.notMade.rows() },
    leftOut: source.leftOut.rows(),
    failed: followed.failed.rows(),
    refused: refused.rows(),
    needAttention: followed.needAttention.rows(),
    notKept: source.notKept.rows(),
  }
}
