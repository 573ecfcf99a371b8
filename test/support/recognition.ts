import { setTimeout as delay } from 'node:timers/promises'
import type { Recognition } from '../../src/imports/ocr/recognition-store.ts'
import type { WorkerTimes } from '../../src/imports/ocr/recognition-worker.ts'
import { showText, writePdf } from './pdf.ts'
import { scanPdf, type Damage } from './scans.ts'
import type { TestServer } from './server.ts'

/** Short times, so that tests do not wait. */
export const quickTimes: WorkerTimes = { sliceMs: 60_000, publishAfterMs: 200, pollIntervalMs: 50 }

/** The recognition of a book after its end; throws if it does not end within `timeoutMs`. */
export async function recognitionEnded(
  { running }: Pick<TestServer, 'running'>,
  accountId: string,
  itemId: string,
  timeoutMs = 230_000,
): Promise<Recognition> {
  const { recognitions } = running.opened.services
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const row = await recognitions.byItem(accountId, itemId)
    if (row?.status === 'DONE') return row
    if (performance.now() > deadline) throw new Error(`The recognition has not ended: ${JSON.stringify(row)}`)
    await delay(50)
  }
}

/** A PDF with lines of prose on each page. */
export function prosePdf(texts: readonly (readonly string[])[]): Uint8Array {
  return writePdf({
    pages: texts.map((lines) => ({
      content: lines.map((line, at) => showText(line, { x: 72, y: 720 - at * 18, size: 12, font: 'F2' })).join('\n'),
    })),
  })
}

/** The same as a scan: pictures of its pages. */
export function proseScan(texts: readonly (readonly string[])[], damage: Damage = 'copied'): Promise<Uint8Array> {
  return scanPdf(
    prosePdf(texts),
    texts.map((_, at) => ({ page: at + 1, damage, seed: at })),
  )
}
