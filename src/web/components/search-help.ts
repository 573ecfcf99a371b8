import { html } from 'hono/html'

/** The query syntax with explanations; `docs/library.md` has the same content. */
const forms: readonly [written: string, found: string][] = [
  ['"red fox"', 'the words as a phrase'],
  ['fox -hounds', 'pages that contain the first word and not the second; fox NOT hounds does the same'],
  ['photosyn*', 'words that begin with these letters'],
  ['title:foxes', 'books with the word in the title; author:smith searches the authors'],
  ['shelf:"To read"', 'books on a shelf'],
  ['in:BOOK', 'one book, by the ID in its address'],
  ['after:2024-05', 'books added in May 2024 or later; before:2024 finds those added earlier'],
]

/** Help for the query syntax, initially collapsed. */
export const searchHelp = html`<details class="search-help">
  <summary>More ways to search</summary>
  <dl>
    ${forms.map(
      ([written, found]) =>
        html`<div>
          <dt><code>${written}</code></dt>
          <dd>${found}</dd>
        </div>`,
    )}
  </dl>
  <p>
    Put a minus sign before a filter to leave out what it matches: <code>-shelf:done</code>. Filters without words list
    the matching books.
  </p>
</details>`
