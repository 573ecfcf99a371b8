import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccountStores } from '../accounts/store.ts'
import type { Account } from '../core/account.ts'
import type { Clock, Log } from '../core/context.ts'
import { derivedId, newId } from '../core/ids.ts'
import type { AddFileServices } from '../imports/add-local-file.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { FoundFile } from './book-source.ts'
import { isCalibreLibrary } from './is-calibre-library.ts'
import { createShelfPlaces, type ShelfPlaces, type ShelfPlaceServices } from './shelf-places.ts'
import { takeFile } from './take-file.ts'
import { notifyOfFolder } from './notify-of-folder.ts'
import { walkFolder } from './walk-folder.ts'
import type { WatchStores } from './watch-store.ts'

export type FolderCall = AddFileServices & ShelfPlaceServices

export interface WatchServices extends Clock, AccountStores, NotificationStores, WatchStores {
  log: Log
  /** A call with which an account adds books to its library. */
  actAs(account: Account): FolderCall
}

interface WatchTimes {
  /** Interval between two checks of the folder, ms. A file is complete if it is unchanged in two of them. */
  pollIntervalMs: number
  /** Time after which another process may take over the watch, ms. */
  leaseMs: number
  /** Pause after a limit of the plan was reached, ms. */
  pauseMs: number
}

const defaultWatchTimes: WatchTimes = { pollIntervalMs: 10_000, leaseMs: 60_000, pauseMs: 5 * 60_000 }

export interface FolderWatch {
  /** Stops after the current file. */
  stop(): Promise<void>
}

export interface WatchedFolder {
  directory: string
  /** Email address of the account that gets the books. */
  email: string
}

interface Watch extends WatchedFolder {
  services: WatchServices
  times: WatchTimes
  stop: AbortSignal
  /** Identifies this process among those that could watch the folder. */
  holder: string
  /** Signatures of processed files by name; null: unknown, because another process watches. */
  known: Map<string, string> | null
  /** Signatures of the other files at the last check. */
  seen: Map<string, string>
  /** Messages that have been logged already. */
  logged: Set<string>
  /** Books that were added since the last notification. */
  unreported: { itemId: string; name: string; count: number } | null
  pausedUntil: Date | null
}

/**
 * Checks a folder periodically, and imports files that have appeared and stopped growing; folders become shelves. Only
 * one process does so at a time. A processed file is imported again only if it changes, also after a restart.
 */
export function watchFolder(
  services: WatchServices,
  folder: WatchedFolder,
  times: WatchTimes = defaultWatchTimes,
): FolderWatch {
  const controller = new AbortController()
  const state = { known: null, seen: new Map(), logged: new Set<string>(), unreported: null, pausedUntil: null }
  const watch: Watch = { ...folder, ...state, services, times, stop: controller.signal, holder: newId() }
  const done = run(watch)
  return {
    async stop() {
      controller.abort()
      await done
    },
  }
}

async function run(watch: Watch): Promise<void> {
  const { services, times, stop } = watch
  while (!stop.aborted) {
    try {
      await look(watch)
    } catch (err) {
      const reason = err instanceof Error ? err.message : String(err)
      warnOnce(watch, { directory: watch.directory, reason }, 'the watched folder could not be checked')
    }
    await delay(times.pollIntervalMs, undefined, { signal: stop, ref: false }).catch(() => undefined)
  }
  const account = await services.accounts.byEmail(watch.email).catch(() => null)
  if (account) await notify(watch, account.id).catch(() => undefined)
  if (account) await services.watches.release(account.id, watch.holder).catch(() => undefined)
}

async function look(watch: Watch): Promise<void> {
  const { services, directory, email } = watch
  const account = await services.accounts.byEmail(email)
  if (!account || account.suspendedAt !== null) {
    return warnOnce(
      watch,
      { email },
      'LECTERN_WATCH_EMAIL is not the address of an active account: correct it, or use lectern user create or user resume',
    )
  }
  if (!(await holds(watch, account))) {
    watch.known = null
    return
  }
  if (await isCalibreLibrary(directory))
    return warnOnce(watch, { directory }, 'the watched folder is a Calibre library: import it with lectern import')
  if (watch.pausedUntil !== null && services.now() < watch.pausedUntil) return
  watch.known ??= await loadKnown(watch, account)
  await takeArrived(watch, account)
}

function holds({ services, holder, times }: Watch, { id }: Account): Promise<boolean> {
  const now = services.now()
  return services.watches.hold(id, { holder, now, until: new Date(now.getTime() + times.leaseMs) })
}

async function loadKnown({ services }: Watch, { id }: Account): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for await (const { name, signature } of services.watches.list(id)) known.set(name, signature)
  return known
}

async function takeArrived(watch: Watch, account: Account): Promise<void> {
  const source = await walkFolder(watch.directory)
  for (const { reason, names } of source.leftOut.rows())
    warnOnce(watch, { reason, names }, 'left out of the watched folder')
  const ctx = watch.services.actAs(account)
  const places = createShelfPlaces(ctx)
  const seen = new Map<string, string>()
  let taken = 0
  for await (const file of source.files()) {
    if (watch.known?.get(file.name) === signatureOf(file)) continue
    const hasArrived = watch.seen.get(file.name) === signatureOf(file)
    seen.set(file.name, signatureOf(file))
    if (!hasArrived) continue
    if (watch.stop.aborted || !(await holds(watch, account))) break
    if (!(await take(watch, { ctx, places }, file))) break
    taken += 1
  }
  watch.seen = seen
  // The notification waits while files keep arriving.
  if (taken === 0 || watch.stop.aborted) await notify(watch, account.id)
}

/** Notifies the account about additions since the last notification. */
async function notify(watch: Watch, accountId: string): Promise<void> {
  if (watch.unreported === null) return
  const { count, ...book } = watch.unreported
  watch.unreported = null
  const added = { count, only: count === 1 ? book : null }
  await notifyOfFolder(watch.services, { accountId, from: 'the watched folder', added, refused: [] })
}

/** Processes a file; returns false if this check must stop. */
async function take(
  watch: Watch,
  { ctx, places }: { ctx: FolderCall; places: ShelfPlaces },
  file: FoundFile,
): Promise<boolean> {
  const { services, times } = watch
  const taken = await takeFile(ctx, file)
  if (taken.kind === 'later') return false
  if (taken.kind === 'full') {
    watch.pausedUntil = new Date(services.now().getTime() + times.pauseMs)
    await report(watch, ctx, { file, reason: taken.reason })
    return false
  }
  if ('book' in taken) {
    await places.place(taken.book.itemId, file.shelves)
    await places.flush()
    if (taken.kind === 'added')
      watch.unreported = { itemId: taken.book.itemId, name: file.name, count: (watch.unreported?.count ?? 0) + 1 }
    services.log.info({ file: file.name, itemId: taken.book.itemId }, 'taken from the watched folder')
  } else await report(watch, ctx, { file, reason: taken.reason })
  // Problems of the file itself persist until it changes.
  if (taken.kind !== 'leftOut' && !(taken.kind === 'failed' && taken.mayPass)) await remember(watch, ctx, file)
  return true
}

async function remember({ services, known }: Watch, { actor }: FolderCall, file: FoundFile): Promise<void> {
  const signature = signatureOf(file)
  await services.watches.record(actor.id, { name: file.name, signature }, services.now())
  known?.set(file.name, signature)
}

/** Reports once, to the log and the account, that a file did not become a book. */
async function report(
  watch: Watch,
  { actor }: FolderCall,
  { file, reason }: { file: FoundFile; reason: string },
): Promise<void> {
  const { services } = watch
  warnOnce(watch, { file: file.name, reason }, 'a file of the watched folder could not be imported')
  const key = createHash('sha256')
    .update(`${actor.id} ${file.name} ${signatureOf(file)} ${reason}`)
    .digest('hex')
  await services.notifications.add({
    id: derivedId(new Date(file.modifiedAt), key),
    accountId: actor.id,
    type: 'import_failed',
    title: `"${file.name}" could not be imported`,
    body: `It is in the watched folder: ${reason}`,
    metadata: { file: file.name },
    createdAt: services.now(),
    readAt: null,
  })
}

const maxLogged = 10_000

/** Logs a warning, once for the same facts. */
function warnOnce({ services, logged }: Watch, facts: object, message: string): void {
  const key = JSON.stringify([facts, message])
  if (logged.has(key)) return
  if (logged.size >= maxLogged) logged.clear()
  logged.add(key)
  services.log.warn(facts, message)
}

function signatureOf({ bytes, modifiedAt }: FoundFile): string {
  return `${bytes}:${modifiedAt}`
}
