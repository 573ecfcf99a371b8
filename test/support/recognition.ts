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

const lineHeight = 18

/** A PDF with lines of prose on each page, which is just large enough for them. */
export function prosePdf(texts: readonly (readonly string[])[]): Uint8Array {
  return writePdf({
    pages: texts.map((lines) => {
      const height = 100 + lines.length * lineHeight
      const shown = lines.map((line, at) =>
        showText(line, { x: 50, y: height - 55 - at * lineHeight, size: 12, font: 'F2' }),
      )
      return { content: shown.join('\n'), width: 500, height }
    }),
  })
}

/** The same as a scan: pictures of its pages. */
export function proseScan(texts: readonly (readonly string[])[], damage: Damage = 'copied'): Promise<Uint8Array> {
  return scanPdf(
    prosePdf(texts),
    texts.map((_, at) => ({ page: at + 1, damage, seed: at, isTrueSize: true })),
  )
}
