import { CommandError } from '../errors/command-error.ts'
import type { Catalog, Collection } from '../storage/catalog.ts'

/**
 * Returns a function that throws QueryPlanKilled after the collection has been dropped, even if a new one has the same
 * name.
 */
export function sourceCheck(catalog: Catalog, collection: Collection | undefined): () => void {
  return () => {
    if (!collection || catalog.get(collection.db, collection.name)?.id === collection.id) return
    throw new CommandError('QueryPlanKilled', `collection dropped. UUID ${collection.uuid.toString('hex')}`)
  }
}
