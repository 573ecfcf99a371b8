import { html } from 'hono/html'
import { findAccessibleBooks, type BookAccessStores } from '../../../books/access.ts'
import type { Call } from '../../../core/context.ts'
import { emptyState } from '../../components/empty-state.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { searchUrl, type SearchQuery } from './search-query.ts'

/** The page for which similar pages are searched. */
export interface LikedBookPage {
  id: string
  title: string
  page: number
}

/** The page in `BOOKID:12`, with the title of its book; null if the caller has no such book. */
export async function findLikedPage(ctx: Call & BookAccessStores, like: string): Promise<LikedBookPage | null> {
  const [id = '', page] = like.split(':')
  const [book] = await findAccessibleBooks(ctx, [id])
  return book ? { id, title: book.title, page: Number(page) } : null
}

/** A heading with a link to the page that the results are similar to. */
export function likedHeading({ id, title, page }: LikedBookPage): Html {
  return html`<div class="liked-page" data-liked>
    <h2>Pages like page ${page} of <span dir="auto">${title}</span></h2>
    <p class="actions">
      <a class="button quiet" href="/books/${id}/pages/${page}">${icon('arrow-left')}Back to the page</a>
    </p>
  </div>`
}

/** The message if no other page has enough of its words. */
export function noSimilarPages(query: SearchQuery): Html {
  const isNarrow = query.owners !== 'all' || query.shelf !== null
  return emptyState({
    icon: 'search',
    title: 'No similar page',
    text: 'No other page has enough of the distinctive words of this page. Search for some of its words instead.',
    actions: isNarrow
      ? html`<a class="button" href="${searchUrl({ ...query, owners: 'all', shelf: null, cursor: null })}"
          >Search all books</a
        >`
      : html``,
  })
}
