import type { Check, Clinic, Findings } from './check.ts'

interface PlacesRow {
  _id: string
  open: { id: string; at: Date }[]
}

/** The sweep runs every hour. */
const settledMs = 2 * 60 * 60 * 1000

export const sessions: Check = {
  name: 'sessions',
  promise: 'every open research session has a place among those its account may have open, and every place its session',
  async run({ db, services }) {
    const findings: Findings = []
    const open = await openSessions(db)
    const settled = services.now().getTime() - settledMs
    for await (const { _id, open: places } of db.collection<PlacesRow>('sessionPlaces').find()) {
      const own = open.get(_id) ?? new Set<string>()
      const stray = places.filter(({ id, at }) => !own.has(id) && at.getTime() < settled)
      for (const { id } of places) own.delete(id)
      findings.push(...stray.map(({ id }) => `account ${_id}: a place is held for ${id}, which is not open`))
    }
    for (const [accountId, ids] of open) {
      // Not those that have ended in the meantime.
      const still = await services.sessions.open(accountId, [...ids])
      findings.push(...[...still].map((id) => `session ${id} of account ${accountId} is open without a place`))
    }
    return findings
  },
}

/** The open sessions by account. A place is taken before its session is made, and given back after it has ended. */
async function openSessions(db: Clinic['db']): Promise<Map<string, Set<string>>> {
  const open = new Map<string, Set<string>>()
  const rows = db.collection<{ _id: string; accountId: string; completedAt: Date | null }>('sessions')
  for await (const { _id, accountId } of rows.find({ completedAt: null }, { projection: { accountId: 1 } })) {
    open.set(accountId, (open.get(accountId) ?? new Set()).add(_id))
  }
  return open
}
