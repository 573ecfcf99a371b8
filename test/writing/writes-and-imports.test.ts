import { beforeAll, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import type { ImportServices } from '../../src/imports/run-import.ts'
import { appendItemPages } from '../../src/writing/append-item-pages.ts'
import { uploadScript, createBarrier, createManualWorker } from '../support/manual-worker.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { unwrap, callOverRest } from '../support/uploads.ts'
import { contextOf } from '../support/context.ts'
import { findOwnedBook, storedPages } from '../support/stored-pages.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person
let ctx: Context

beforeAll(async () => {
  person = await server.createPerson()
  ctx = await contextOf(server, person)
})

const script = { steps: [{ do: 'pages' as const, count: 1, content: '# Imported\n' }] }
const pagesOf = (id: string) => storedPages(server, person, { id })
const jobOf = (id: string) => ctx.jobs.byId(person.id, id)

/** Creates an imported Markdown book with an added page, and a job that will import its file again. */
async function reprocessing(): Promise<{ id: string; jobId: string }> {
  const { itemId, jobId } = await uploadScript(server, person, script)
  await createManualWorker(server).run(jobId)
  await appendItemPages(ctx, { id: itemId, content: '# A\n' })
  const { job } = unwrap<{ job: { id: string } }>(await callOverRest(server, person, 'reprocess_item', { itemId }))
  return { id: itemId, jobId: job.id }
}

/** Runs a job until its version is sealed but not published. */
async function sealedOnly(jobId: string, change: Partial<ImportServices> = {}) {
  const stop = createBarrier()
  const { services, run } = createManualWorker(server)
  const running = run(jobId, {
    books: {
      ...services.books,
      async findDuplicateFile(...given) {
        await stop.pass()
        return services.books.findDuplicateFile(...given)
      },
    },
    ...change,
  })
  await stop.arrived
  return { finish: () => (stop.open(), running) }
}

test('a book can be changed only after its file is imported', async () => {
  const { itemId: id, jobId } = await uploadScript(server, person, script)
  await expect(appendItemPages(ctx, { id, content: '# B\n' })).rejects.toMatchObject({ code: 'ITEM_NOT_EDITABLE' })
  await createManualWorker(server).run(jobId)
  await appendItemPages(ctx, { id, content: '# B\n' })
  expect(await pagesOf(id)).toEqual(['# Imported\n', '# B\n'])
})

test('a write during a reprocessing becomes the version before the imported one', async () => {
  const { id, jobId } = await reprocessing()
  const stop = createBarrier()
  const { services, run } = createManualWorker(server)
  const contents = {
    ...services.contents,
    async writePages(...given: Parameters<typeof services.contents.writePages>) {
      await stop.pass()
      return services.contents.writePages(...given)
    },
  }
  const running = run(jobId, { contents })
  await stop.arrived
  expect(await appendItemPages(ctx, { id, content: '# B\n' })).toMatchObject({ version: 3 })
  stop.open()
  await running
  expect(await jobOf(jobId)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 4, status: 'READY', pageCount: 1 })
  expect(await pagesOf(id)).toEqual(['# Imported\n'])
  expect(await storedPages(server, person, { id, version: 3 })).toEqual(['# Imported\n', '# A\n', '# B\n'])
})

test('a write during the publication of an import waits for it and succeeds', async () => {
  const { id, jobId } = await reprocessing()
  const { finish } = await sealedOnly(jobId)
  const writing = appendItemPages(ctx, { id, content: '# B\n' })
  await finish()
  expect(await writing).toMatchObject({ version: 4, pageCount: 2 })
  expect(await pagesOf(id)).toEqual(['# Imported\n', '# B\n'])
})

test('a write replaces the version abandoned by a cancelled import and removes its pages', async () => {
  const { id, jobId } = await reprocessing()
  const { finish } = await sealedOnly(jobId)
  await callOverRest(server, person, 'cancel_job', { jobId })
  const abandoned = await ctx.contents.findByJobId(id, jobId)
  expect(abandoned).toMatchObject({ version: 3 })
  expect(await appendItemPages(ctx, { id, content: '# B\n' })).toMatchObject({ version: 3, pageCount: 3 })
  expect(await pagesOf(id)).toEqual(['# Imported\n', '# A\n', '# B\n'])
  expect((await ctx.contents.storedPageIds(id, abandoned?.runs[0]?.revision ?? '')).size).toBe(0)
  await finish()
  expect(await pagesOf(id)).toEqual(['# Imported\n', '# A\n', '# B\n'])
})

test('an import replaces the version abandoned by a cancelled import', async () => {
  const { id, jobId } = await reprocessing()
  const { finish } = await sealedOnly(jobId)
  await callOverRest(server, person, 'cancel_job', { jobId })
  const { job } = unwrap<{ job: { id: string } }>(await callOverRest(server, person, 'reprocess_item', { itemId: id }))
  await createManualWorker(server).run(job.id)
  await finish()
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 3 })
  expect(await ctx.contents.findSealedManifest(id, 3)).toMatchObject({ jobId: job.id })
})

test('an import that was published before its worker crashed does not overwrite later changes', async () => {
  const { id, jobId } = await reprocessing()
  const { run, services } = createManualWorker(server)
  const failing = { ...services.jobs, update: dieAtEnd(services.jobs.update) }
  await run(jobId, { jobs: failing }).catch(() => {})
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 3 })
  await appendItemPages(ctx, { id, content: '# B\n' })
  await run(jobId, { now: () => new Date(Date.now() + 60_000) })
  expect(await jobOf(jobId)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 4 })
  expect(await pagesOf(id)).toEqual(['# Imported\n', '# B\n'])
})

/** A job store that fails when the job is to be completed. */
function dieAtEnd(update: ImportServices['jobs']['update']): ImportServices['jobs']['update'] {
  return (id, fence, change) => {
    if (change.status === 'SUCCEEDED') throw new Error('dead')
    return update(id, fence, change)
  }
}
