import type { Shelf } from '../../shelves/store.ts'
import { nameKey } from '../../shelves/require-unique-name.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

interface ShelvesRow {
  _id: string
  shelves: Shelf[]
  removing: { id: string }[]
}

export const shelves: Check = {
  name: 'shelves',
  invariant: 'the shelves of an account have unique names and slugs, and all books on them exist',
  async run({ db, services }) {
    const findings: Findings = []
    const known = new Set<string>()
    for await (const { _id, shelves: list, removing } of db.collection<ShelvesRow>('shelves').find()) {
      for (const { id } of [...list, ...removing]) known.add(`${_id}:${id}`)
      for (const field of ['id', 'slug', 'name'] as const) {
        const values = new Set(list.map((shelf) => (field === 'name' ? nameKey(shelf.name) : shelf[field])))
        if (values.size !== list.length) findings.push(`account ${_id}: two shelves share a ${field}`)
      }
    }
    findings.push(...(await strayPlacements({ db, services }, known)))
    return findings
  },
}

interface PlacementRow {
  _id: string
  accountId: string
  shelfId: string
  itemId: string
}

async function strayPlacements({ db, services }: Pick<DoctorContext, 'db' | 'services'>, known: ReadonlySet<string>) {
  const findings: Findings = []
  const books = new Set<string>()
  for await (const { id } of services.books.all()) books.add(id)
  for await (const { accountId, shelfId, itemId } of db.collection<PlacementRow>('placements').find()) {
    if (!known.has(`${accountId}:${shelfId}`)) findings.push(`shelf ${shelfId} does not exist, but ${itemId} is on it`)
    if (!books.has(itemId)) findings.push(`book ${itemId} does not exist, but is on shelf ${shelfId}`)
  }
  return findings
}
