import { analyzerVersion } from '../search/index/index-book.ts'
import type { SearchStores } from '../search/store.ts'
import type { EmbedderServices } from '../embeddings/mark-book.ts'
import type { EmbeddingStores } from '../embeddings/embedding-store.ts'
import { counted } from '../text/counted.ts'
import { improvable, unwell, well, type HealthCheck } from './check.ts'

const countedBooks = 1000

/** Says how many books an earlier version of the search index still describes. */
export function indexCheck({ search }: Pick<SearchStores, 'search'>): HealthCheck {
  return {
    name: 'index',
    title: 'Search index',
    async look() {
      const outdated = (await search.books.listOutdated(analyzerVersion, countedBooks)).length
      if (outdated === 0) return well('No book has an outdated index.')
      const books = outdated === countedBooks ? `${countedBooks} or more books` : counted(outdated, 'book')
      return improvable(
        `${books} ${outdated === 1 ? 'has' : 'have'} an index of an earlier version, in which search finds less.`,
        'Wait: a process with the role worker or all indexes them again in the background.',
      )
    },
    remedy: 'See the log of the server.',
  }
}

/** Says how search by meaning keeps up; null without an embeddings service. */
export function embeddingsCheck({
  embedder,
  embeddings,
}: EmbedderServices & Pick<EmbeddingStores, 'embeddings'>): HealthCheck | null {
  if (embedder === null) return null
  return {
    name: 'meaning',
    title: 'Search by meaning',
    async look() {
      const waiting = await embeddings.countWaiting()
      const pages = `${counted(waiting, 'page')} ${waiting === 1 ? 'waits' : 'wait'} for the embeddings service.`
      if (embedder.waitMs() === 0) return well(pages)
      return unwell(
        `The embeddings service does not answer as it should. ${pages} Until then search finds words only.`,
        'See that the service at LECTERN_EMBEDDINGS_URL runs and has the model, and what the log of the server says.',
      )
    },
    remedy: 'See the log of the server.',
  }
}
