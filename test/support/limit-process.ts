// A process that tries to exceed a limit on a shared store. For each order it reports how many attempts succeeded.
import { randomUUID } from 'node:crypto'
import { readConfig } from '../../src/app/config.ts'
import { openServices } from '../../src/app/services.ts'
import type { LimitTrial } from './limit-trial.ts'

const { services, database, close } = await openServices(readConfig({ ...process.env, LECTERN_LOG_LEVEL: 'silent' }))
const { accounts, readMeter: reads, rateLimiter: rates } = services

const attemptByKind: Record<LimitTrial['kind'], (trial: LimitTrial) => Promise<boolean>> = {
  reads: ({ accountId, limit }) => reads.charge(accountId, { id: randomUUID(), count: 1, limit, now: new Date() }),
  slots({ accountId, limit }) {
    const id = randomUUID()
    return accounts.takeSlot(accountId, { id, itemId: id }, { limit, at: new Date() })
  },
  rate: async ({ accountId }) => (await rates.consume(accountId, 'mcp_read').catch(() => null)) !== null,
  /** Reads, compares, increments: the incorrect way to enforce a limit. */
  async naive({ accountId, limit }) {
    const counters = database.db.collection<{ _id: string; used: number }>('naive')
    const used = (await counters.findOne({ _id: accountId }))?.used ?? 0
    if (used >= limit) return false
    await counters.updateOne({ _id: accountId }, { $inc: { used: 1 } }, { upsert: true })
    return true
  },
}

process.on('message', async (trial: LimitTrial) => {
  const granted = await Promise.all(Array.from({ length: trial.attempts }, () => attemptByKind[trial.kind](trial)))
  process.send?.(granted.filter(Boolean).length)
})
process.on('disconnect', async () => {
  await close()
  process.exit(0)
})
process.send?.('ready')
