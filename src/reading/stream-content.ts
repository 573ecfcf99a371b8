import { AppError } from '../core/errors.ts'
import type { Call } from '../core/context.ts'
import { encodeText } from '../runtime/json-encoder.ts'
import type { StreamedText } from '../runtime/json-stream.ts'
import { createSemaphore } from '../runtime/semaphore.ts'
import { createSlots, type Slots } from '../runtime/slots.ts'
import { createPacer } from '../runtime/turns.ts'
import type { StoredPage } from './cached-page.ts'
import type { Manifest } from './manifest.ts'
import { pageRefs, type ContentStores } from './store.ts'

/** Larger texts are streamed, so that no process holds them completely; bytes. */
export const maxTextInMemory = 256_000
/** Larger texts need one of the slots for large answers; bytes. */
const maxFreeBytes = 2_000_000
/** Of an account. There is no maximum for all: a few accounts that read slowly could keep whole books from the others. */
const slotsPerAccount = 2
const maxWaiting = 32
const maxWaitMs = 5000

/** The slots for large answers, and the loading of their pages. */
export interface TextStreams {
  slots: Slots
  /** Runs page loads one at a time in this process. */
  load<T>(run: () => Promise<T>): Promise<T>
}

export interface TextStreamServices {
  textStreams: TextStreams
}

/** Creates the slots for large answers of this process. */
export function createTextStreams(): TextStreams {
  const limits = { perKey: slotsPerAccount, total: Infinity, maxWaitingPerKey: maxWaiting, maxWaitMs }
  return { slots: createSlots(limits), load: createSemaphore(1) }
}

/** Takes a slot for a text of `bytes` bytes; refuses with RATE_LIMITED if none becomes free within 5 seconds. */
export async function takeAnswerSlot(ctx: Call & TextStreamServices, bytes: number): Promise<() => void> {
  if (bytes <= maxFreeBytes) return () => {}
  const release = await ctx.textStreams.slots.take(ctx.actor.id, ctx.signal)
  if (release) return release
  throw new AppError(
    'RATE_LIMITED',
    `Too many whole books at a time: an account can get ${slotsPerAccount} of more than ${maxFreeBytes / 1_000_000} MB. Retry when one of them has arrived, or read ranges of pages.`,
    { retryAfterSeconds: maxWaitMs / 1000 },
  )
}

interface TextRequest {
  manifest: Manifest
  lastPage: number
  separator: string
  /** Releases the slot. */
  release: () => void
}

/** Streams the text of the pages up to `lastPage`, reading the store on demand. */
export function streamPages(ctx: Call & ContentStores & TextStreamServices, request: TextRequest): StreamedText {
  return {
    pieces: encodePages(ctx, request),
    close(err) {
      request.release()
      if (err !== undefined && !ctx.signal.aborted) ctx.log.error({ err }, 'a large answer was aborted')
    },
  }
}

/** Approximate size of a sent chunk, bytes. */
const targetPieceBytes = 64_000
/** Maximum length of a page part that is encoded at once, UTF-16 units. */
const maxPartLength = 128_000

async function* encodePages(
  ctx: Call & ContentStores & TextStreamServices,
  { manifest, lastPage, separator }: TextRequest,
): AsyncGenerator<Uint8Array> {
  const pacer = createPacer(ctx.signal)
  const encodedSeparator = encodeText(separator)
  let parts: Uint8Array[] = []
  let size = 0
  let isFirst = true
  for await (const { content } of loadPages(ctx, manifest, { firstPage: 1, lastPage })) {
    if (!isFirst) parts.push(encodedSeparator)
    isFirst = false
    for (const part of splitText(content)) {
      if (pacer.isDue()) await pacer.yieldTurn()
      const encoded = encodeText(part)
      parts.push(encoded)
      size += encoded.length
      if (size < targetPieceBytes) continue
      yield Buffer.concat(parts)
      parts = []
      size = 0
    }
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}

/** Maximum length of pages that are held in memory, UTF-16 units; a single page may be longer. */
const windowLength = 250_000
const maxWindowPages = 64
const maxFirstPages = 16

/** Yields pages in order while holding a window of them. Reads as many at a time as the window is likely to hold. */
export async function* loadPages(
  { contents, textStreams, signal }: Call & ContentStores & TextStreamServices,
  manifest: Manifest,
  { firstPage, lastPage }: { firstPage: number; lastPage: number },
): AsyncGenerator<StoredPage> {
  const average = manifest.bytes / Math.max(1, manifest.pageCount)
  let count = clamp(Math.floor(windowLength / Math.max(1, average)), maxFirstPages)
  for (let first = firstPage; first <= lastPage;) {
    signal.throwIfAborted()
    const refs = [...pageRefs(manifest, first, Math.min(lastPage, first + count - 1))]
    const pages = withinWindow(await textStreams.load(() => contents.passPages(refs)))
    yield* pages
    first += pages.length
    count = pages.length < refs.length ? pages.length : clamp(count * 2, maxWindowPages)
  }
}

/** The first pages that fit into the window, at least one; the rest is read again later. */
function withinWindow(pages: readonly StoredPage[]): StoredPage[] {
  let length = 0
  const beyond = pages.findIndex(({ content }, at) => (length += content.length) > windowLength && at > 0)
  return beyond < 0 ? [...pages] : pages.slice(0, beyond)
}

function clamp(count: number, most: number): number {
  return Math.max(1, Math.min(most, count))
}

/** Splits a text into parts that can be encoded separately, never within a surrogate pair. */
function* splitText(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + maxPartLength)
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--
    yield text.slice(from, to)
    from = to
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
