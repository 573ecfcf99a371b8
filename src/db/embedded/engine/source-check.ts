import type { Catalog, Collection } from '../storage/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Plan } from './plan.ts'

/** A function that throws QueryPlanKilled once the collection, or an index that the plan reads, has been dropped. */
export function sourceCheck(catalog: Catalog, collection: Collection, plan: Plan | undefined): () => void {
  const access = plan?.access
  const used = access?.kind === 'index' ? [access] : access?.kind === 'union' ? access.branches : []
  return () => {
    const current = catalog.get(collection.db, collection.name)
    if (current?.id !== collection.id)
      throw new CommandError('QueryPlanKilled', `collection dropped. UUID ${collection.uuid.toString('hex')}`)
    const gone = used.find(({ index }) => !index.isId && !current.indexes.some((one) => one.id === index.id))
    if (gone)
      throw new CommandError('QueryPlanKilled', `query plan killed :: caused by :: index '${gone.index.name}' dropped`)
  }
}
