import { z } from 'zod'
import { presentJob } from '../../imports/present-job.ts'
import type { Job } from '../../imports/store.ts'
import { defineListCommand, type ListRow } from './command.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { rowLimit } from './option-types.ts'

export const jobList = defineListCommand({
  name: 'job list',
  usage: '--email E [--limit N]',
  summary:
    'List the last imports of an account, newest first: id, status, book, time, error. --limit: how many, 100 by default.',
  options: z.strictObject({
    email: Email,
    limit: rowLimit(10_000),
  }),
  async list({ services }, { email, limit }) {
    const account = await findAccountByEmail(services, email)
    return { name: 'jobs', rows: jobRows(await services.jobs.list(account.id, limit)), empty: 'No imports' }
  },
})

async function* jobRows(jobs: readonly Job[]): AsyncGenerator<ListRow> {
  for (const job of jobs) {
    const json = presentJob(job)
    const state = job.status === 'RUNNING' ? `RUNNING ${job.progress} %` : job.status
    yield {
      json,
      text: [job.id, state.padEnd(13), job.itemId, json.createdAt, ...(job.error ? [job.error] : [])].join('  '),
    }
  }
}
