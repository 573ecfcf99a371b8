import { LRUCache } from 'lru-cache'
import { errors, type Provider } from 'oidc-provider'

/** Milliseconds for which a client metadata document that could not be used is not fetched again. */
const failureTtlMs = 60_000
const maxFailures = 1000

type FindClient = (id: string) => Promise<unknown>

/**
 * Remembers client metadata documents that could not be fetched or used, so that nobody makes this server fetch one again
 * and again. The provider itself shares a running fetch and caches valid documents only.
 */
export function rememberFailedDocuments(provider: Provider, clientHosts: readonly string[]): void {
  const failures = new LRUCache<string, Error>({ max: maxFailures, ttl: failureTtlMs })
  const clients = provider.Client as unknown as { find: FindClient }
  const find = clients.find
  clients.find = async (id) => {
    const failure = failures.get(id)
    if (failure) throw failure
    try {
      return await find.call(clients, id)
    } catch (error) {
      if (isDocumentFailure(error) && clientHosts.includes(URL.parse(id)?.host ?? '')) failures.set(id, error)
      throw error
    }
  }
}

/** True for what the document itself causes; false for limits and an unavailable database. */
function isDocumentFailure(error: unknown): error is Error {
  return error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata
}
