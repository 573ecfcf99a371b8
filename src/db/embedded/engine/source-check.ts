import { CommandError } from '../errors/command-error.ts'
import type { Catalog, Collection } from '../storage/catalog.ts'

/** A function that throws QueryPlanKilled once the collection has been dropped, also when another one has its name. */
export function sourceCheck(catalog: Catalog, collection: Collection | undefined): () => void {
  return () => {
    if (!collection || catalog.get(collection.db, collection.name)?.id === collection.id) return
    throw new CommandError('QueryPlanKilled', `collection dropped. UUID ${collection.uuid.toString('hex')}`)
  }
}
