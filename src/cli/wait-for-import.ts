import { counted } from '../text/counted.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { callJson } from './call-json.ts'
import type { ProgressLine } from './progress-line.ts'
import type { Server } from './server.ts'

const pollIntervalMs = 500

/** The used fields of a job. */
export interface ImportJob {
  id: string
  status: string
  stage?: string
  /** In percent. */
  progress?: number
  pages?: { done: number; total: number | null } | null
  error?: string | null
}

export function hasEnded({ status }: ImportJob): boolean {
  return status !== 'PENDING' && status !== 'RUNNING'
}

const stages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    waiting: 'waiting for the import to start',
    starting: 'the import has started',
    reading: 'reading',
    done: 'finishing',
  }),
)

/** Waits until an import has ended and shows its progress. */
export async function waitForImport(
  server: Server,
  { file, job }: { file: string; job: ImportJob },
  progress: ProgressLine,
): Promise<ImportJob> {
  let startedAt: number | null = null
  for (;;) {
    const current = (await callJson(server, 'GET', { path: `/api/v1/jobs/${job.id}` }))['job'] as ImportJob
    if (hasEnded(current)) return current
    const share = (current.progress ?? 0) / 100
    if (share > 0) startedAt ??= performance.now()
    const stage = stages.get(current.stage ?? '') ?? current.stage
    progress.show(`${file}: ${stage}`, startedAt === null ? null : { share, startedAt }, pagesOf(current))
    await sleep(pollIntervalMs)
  }
}

function pagesOf({ pages }: ImportJob): string {
  if (!pages) return ''
  return pages.total === null
    ? `, ${counted(pages.done, 'page')}`
    : `, ${pages.done} of ${counted(pages.total, 'page')}`
}
