import { expect, test } from 'vitest'
import { createLog } from '../../src/app/log.ts'
import { claimNextJob } from '../../src/imports/claim-next-job.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { newId } from '../../src/core/ids.ts'
import { uploadScript } from '../support/manual-worker.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

test(
  'an import whose worker died gets its turn although thousands of newer ones wait',
  { timeout: 120_000 },
  async () => {
    const { services, database } = server.running.opened
    const person = await server.createPerson()
    const { jobId } = await uploadScript(server, person, { info: { title: 'A Script' }, steps: [] })
    const lease = { fence: 'died', leaseDurationMs: -1000 }
    expect(await claimNextJob(services, 'text', lease)).toMatchObject({ id: jobId })
    const [turn] = await services.turns.listWaiting('text', 10)
    if (turn) await services.turns.leave(turn)
    expect(await services.turns.listWaiting('text', 10)).toEqual([])

    const jobs = database.db.collection<{ _id: string }>('jobs')
    const row = await jobs.findOne({ _id: jobId })
    const waiting = { ...row, status: 'PENDING', fence: null, leaseUntil: null, createdAt: new Date() }
    // Jobs that were interrupted come last for five minutes.
    await jobs.updateOne({ _id: jobId }, { $set: { createdAt: new Date(Date.now() - 10 * 60_000) } })
    const others = Array.from({ length: 6 }, () => newId())
    const newer = others.flatMap((accountId) =>
      Array.from({ length: 200 }, () => ({ ...waiting, _id: newId(), itemId: newId(), accountId })),
    )
    await jobs.insertMany(newer)
    await sweep({ ...services, log: createLog('silent') })

    const claimed = new Set<string>()
    for (let turns = 0; turns <= others.length; turns++) {
      const job = await claimNextJob(services, 'text', { fence: newId(), leaseDurationMs: 60_000 })
      claimed.add(job?.accountId ?? '')
    }
    await jobs.deleteMany({ accountId: { $in: others } })
    await database.db.collection('importTurns').deleteMany({ accountId: { $in: others } })
    expect(claimed).toEqual(new Set([person.id, ...others]))
  },
)
