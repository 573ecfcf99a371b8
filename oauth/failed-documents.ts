import { LRUCache } from 'lru-cache'
import { errors, type Provider } from 'oidc-provider'

/** Milliseconds for which a client metadata document that could not be used is not fetched again. */
const failureTtlMs = 60_000
const maxFailures = 1000

type FindClient = (id: string) => Promise<unknown>

/**
 * Remembers client metadata documents that failed to load or validate, so that clients cannot make this server fetch
 * one repeatedly. The provider itself only joins concurrent fetches and caches valid documents.
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

/** True if the document itself caused the error; false for limits and an unavailable database. */
function isDocumentFailure(error: unknown): error is Error {
  return error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata
}
