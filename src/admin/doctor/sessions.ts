import type { Check, DoctorContext, Findings } from './check.ts'

interface SlotsRow {
  _id: string
  open: { id: string; at: Date }[]
}

/** The sweep runs every hour. */
const sweepGraceMs = 2 * 60 * 60 * 1000

export const sessions: Check = {
  name: 'sessions',
  invariant: 'every open research session holds a slot of its account, and every slot has an open session',
  async run({ db, services }) {
    const findings: Findings = []
    const open = await openSessions(db)
    const cutoff = services.now().getTime() - sweepGraceMs
    for await (const { _id, open: slots } of db.collection<SlotsRow>('sessionPlaces').find()) {
      const openIds = open.get(_id) ?? new Set<string>()
      const stray = slots.filter(({ id, at }) => !openIds.has(id) && at.getTime() < cutoff)
      for (const { id } of slots) openIds.delete(id)
      findings.push(...stray.map(({ id }) => `account ${_id}: a slot is held for session ${id}, which is not open`))
    }
    for (const [accountId, ids] of open) {
      // Excludes sessions that have ended in the meantime.
      const stillOpen = await services.sessions.filterOpen(accountId, [...ids])
      findings.push(...[...stillOpen].map((id) => `session ${id} of account ${accountId} is open without a slot`))
    }
    return findings
  },
}

/** Open sessions by account. A slot is taken before its session is created and released after the session ends. */
async function openSessions(db: DoctorContext['db']): Promise<Map<string, Set<string>>> {
  const open = new Map<string, Set<string>>()
  const rows = db.collection<{ _id: string; accountId: string; completedAt: Date | null }>('sessions')
  for await (const { _id, accountId } of rows.find({ completedAt: null }, { projection: { accountId: 1 } })) {
    open.set(accountId, (open.get(accountId) ?? new Set()).add(_id))
  }
  return open
}
