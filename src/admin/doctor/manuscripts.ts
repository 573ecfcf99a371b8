import type { HeldSlot } from '../../manuscripts/manuscript-slot-store.ts'
import type { Manuscript } from '../../manuscripts/store.ts'
import type { Check, Findings } from './check.ts'

export const manuscripts: Check = {
  name: 'manuscripts',
  invariant: 'every ACTIVE manuscript holds one slot, and every manuscript that is not archived has its own book',
  async run({ services }) {
    const findings: Findings = []
    const held = new Map<string, HeldSlot>()
    for await (const { accountId, held: slots } of services.manuscriptSlots.all()) {
      for (const slot of slots) held.set(`${accountId}:${slot.id}`, slot)
    }
    const books = new Map<string, string>()
    const owners = new Map<string, string>()
    for await (const { id, ownerId } of services.books.all()) owners.set(id, ownerId)
    for await (const manuscript of services.manuscripts.all()) {
      const { id, accountId, status, slot, itemId } = manuscript
      const problem = problemOf(manuscript, owners)
      if (problem) findings.push(`manuscript ${id}: ${problem}`)
      if (slot !== null && !held.delete(`${accountId}:${slot}`)) findings.push(`manuscript ${id}: its slot is not held`)
      if (status === 'ARCHIVED') continue
      const other = books.get(itemId)
      if (other) findings.push(`manuscripts ${other} and ${id} have the same book`)
      books.set(itemId, id)
    }
    for (const [slot, { since }] of held) if (since === null) findings.push(`slot ${slot} is held by no manuscript`)
    return findings
  },
}

function problemOf({ accountId, status, slot, itemId }: Manuscript, owners: ReadonlyMap<string, string>) {
  if ((status === 'ACTIVE') !== (slot !== null)) return `${status}, slot ${slot}`
  if (status !== 'ARCHIVED' && owners.get(itemId) !== accountId) return `its author does not own its book ${itemId}`
  return null
}
