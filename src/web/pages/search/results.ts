import { html } from 'hono/html'
import { coverPath } from '../../../books/cover.ts'
import type { FoundInLibrary, LibrarySearchResult, SearchedOwners } from '../../../library/search-library.ts'
import { pageUrl, withQuote } from '../../../reading/page-url.ts'
import { detectLanguage } from '../../../text/words/detect-language.ts'
import { defaultLanguage, languageOf, type Language } from '../../../text/words/languages.ts'
import { chips, type Chip } from '../../components/chips.ts'
import { cover } from '../../components/cover.ts'
import { emptyState } from '../../components/empty-state.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { countWords, markedText, searchedWords, type SearchedWords } from '../../components/marked-text.ts'
import { formatChapters } from '../../format/format-chapters.ts'
import { likedHeading, noSimilarPages, type LikedBookPage } from './liked-page.ts'
import { searchUrl, type SearchQuery } from './search-query.ts'

/** The result of a search, and the page to which results are similar; null if there is none. */
export interface SearchAnswer extends LibrarySearchResult {
  liked: LikedBookPage | null
}

/** Search results: filters, the number of books, the books with their passages, and a link to more. */
export function searchResults(query: SearchQuery, result: SearchAnswer): Html {
  const { books, total, nextCursor, incomplete, relaxed, didYouMean, note } = result
  const searched = didYouMean === undefined ? query.text : `${query.text} ${didYouMean}`
  const words = searchedWords(searched, languagesOf(books))
  return html`${result.liked === null ? '' : likedHeading(result.liked)} ${filters(query, result)}
    <p class="facts" role="status" data-count>${countLine(query, result)}</p>
    ${note ? html`<p class="notice">${note}</p>` : ''} ${incomplete ? html`<p class="notice">${incomplete}</p>` : ''}
    ${relaxed ? html`<p class="notice">${relaxed}</p>` : ''}
    ${didYouMean === undefined ? '' : suggestion(query, didYouMean)} ${total === 0 ? nothingFound(query) : ''}
    <ol class="found-books">
      ${titlesFirst(books, words).map((found) => foundBook(found, { query, words, didYouMean }))}
    </ol>
    ${
      nextCursor === undefined && query.cursor === null
        ? ''
        : html`<nav class="search-pages actions" aria-label="Further results">
            ${query.cursor === null ? '' : html`<a class="button quiet" href="${searchUrl({ ...query, cursor: null })}">${icon('arrow-left')}First results</a>`}
            ${nextCursor === undefined ? '' : html`<a class="button quiet" rel="next" href="${searchUrl({ ...query, cursor: nextCursor })}">More books${icon('arrow-right')}</a>`}
          </nav>`
    }`
}

/** A link that searches with the corrected query. */
function suggestion(query: SearchQuery, didYouMean: string): Html {
  const url = searchUrl({ ...query, text: didYouMean, cursor: null })
  return html`<p class="did-you-mean" data-suggestion>Did you mean <a href="${url}" dir="auto">${didYouMean}</a>?</p>`
}

/** Sorts books with all of the words in their titles and authors before those that have them only on pages. */
function titlesFirst(books: readonly FoundInLibrary[], words: SearchedWords): FoundInLibrary[] {
  const isNamed = ({ book }: FoundInLibrary) =>
    words.count > 0 && countWords(`${book.title}\n${book.author ?? ''}`, words) === words.count
  return [...books.filter(isNamed), ...books.filter((found) => !isNamed(found))]
}

/** The languages of the passages, and English. */
function languagesOf(books: readonly FoundInLibrary[]): Language[] {
  const found = books.map(({ book, hits }) =>
    detectLanguage(hits.map(({ snippet }) => snippet).join('\n'), languageOf(book.language)),
  )
  return [...new Set([...found, defaultLanguage])]
}

const ownerLabels: Record<SearchedOwners, string> = { all: 'All books', own: 'Your own', others: 'From others' }

/** Maximum number of shelves shown as filters; all of them are on a separate page. */
const maxShelves = 12

function filters(query: SearchQuery, { shelves, shelf }: LibrarySearchResult): Html {
  const owners = Object.entries(ownerLabels).map(([value, label]): Chip => {
    const chosen = value as SearchedOwners
    const current = query.owners === chosen && (chosen !== 'all' || shelf === null)
    return {
      label,
      url: searchUrl({ ...query, owners: chosen, shelf: chosen === 'all' ? null : query.shelf, cursor: null }),
      current,
    }
  })
  const shown =
    shelf && !shelves.slice(0, maxShelves).includes(shelf) ? [...shelves.slice(0, maxShelves - 1), shelf] : shelves
  const ofShelves = shown.slice(0, maxShelves).map(({ id, slug, name }): Chip => {
    const current = shelf?.id === id
    return {
      label: name,
      icon: 'folder',
      url: searchUrl({ ...query, shelf: current ? null : slug, cursor: null }),
      current,
    }
  })
  return chips('Books searched', [...owners, ...ofShelves])
}

function countLine({ cursor, like }: SearchQuery, { total, books }: LibrarySearchResult): string {
  if (total === 0) return like === null ? 'No book matches.' : 'No similar page found.'
  const found = total === 1 ? '1 book' : `${total.toLocaleString('en-GB')} books`
  return cursor === null ? `${found} found` : `${found} found, ${books.length} of them on this page`
}

function nothingFound(query: SearchQuery): Html {
  if (query.like !== null) return noSimilarPages(query)
  const isNarrow = query.owners !== 'all' || query.shelf !== null
  return emptyState({
    icon: 'search',
    title: 'Nothing found',
    text: isNarrow
      ? 'None of the books that were searched matches. Search all books, or try fewer or different words.'
      : 'None of your books matches. Try fewer or different words and filters without quotation marks, or look for books by others.',
    actions: isNarrow
      ? html`<a class="button" href="${searchUrl({ ...query, owners: 'all', shelf: null, cursor: null })}"
          >Search all books</a
        >`
      : html`<a class="button" href="/discover?q=${encodeURIComponent(query.text)}">${icon('compass')}Discover books</a>
          <a class="button quiet" href="/add">${icon('plus')}Add books</a>`,
  })
}

interface Searched {
  query: SearchQuery
  words: SearchedWords
  didYouMean: string | undefined
}

function foundBook({ book, matched, hits }: FoundInLibrary, { query, words, didYouMean }: Searched): Html {
  const { id, title, author, language, version } = book
  const marked = encodeURIComponent(didYouMean ?? query.text)
  const hasWords = query.text !== ''
  // Opening a page from a search does not change the reading position.
  const addressOf = (pageNum: number) => pageUrl({ baseUrl: '' }, { id, version, pageNum })
  return html`<li class="found-book">
    <a class="book-cover" href="/books/${id}" tabindex="-1" aria-hidden="true"
      >${cover({ title, author, language, pictureUrl: coverPath(book) })}</a
    >
    <div class="found-words">
      <h2 class="found-title">
        <a href="/books/${id}" dir="auto" lang="${language ?? ''}" data-hit>${markedText(title, words)}</a>
      </h2>
      ${author ? html`<p class="book-author" dir="auto">${markedText(author, words)}</p>` : ''}
      ${
        hits.length === 0
          ? ''
          : html`<ul class="found-pages">
              ${hits.map(({ page, chapter, snippet }) => {
                const chapters = formatChapters(chapter, title)
                return html`<li>
                  <a
                    class="found-page"
                    href="${hasWords ? `${addressOf(page)}&mark=${marked}#p-mark` : withQuote(`${addressOf(page)}&mark=`, snippet)}"
                    data-hit
                    ><span class="found-place"
                      >Page ${page}${chapters ? html` · <span dir="auto">${chapters}</span>` : ''}</span
                    >
                    <span class="found-passage" dir="auto" lang="${language ?? ''}"
                      >${markedText(snippet, words)}</span
                    ></a
                  >
                </li>`
              })}
            </ul>`
      }
      ${
        hasWords && matched > hits.length
          ? html`<p class="found-more">
              <a href="/books/${id}/find?q=${marked}" data-hit
                >All ${matched.toLocaleString('en-GB')} pages<span class="hidden-text"> of ${title}</span></a
              >
            </p>`
          : ''
      }
    </div>
  </li>`
}
