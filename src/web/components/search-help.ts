import { html } from 'hono/html'

/** What a search can be written as, with what it finds; `docs/library.md` says the same. */
const forms: readonly [written: string, found: string][] = [
  ['"red fox"', 'the words as a phrase'],
  ['fox -hounds', 'pages without a word; NOT hounds does the same'],
  ['photosyn*', 'words that begin so'],
  ['title:foxes', 'books with the word in the title; author:smith likewise'],
  ['shelf:"To read"', 'books on a shelf'],
  ['in:BOOK', 'one book, by the id in its address'],
  ['after:2024-05', 'books added since; before:2024 earlier than that'],
]

/** How to search for more than words, folded. */
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
  <p>A minus before a filter leaves out what it finds: <code>-shelf:done</code>. Filters alone list the books.</p>
</details>`
