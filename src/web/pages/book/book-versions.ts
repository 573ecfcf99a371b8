import { html } from 'hono/html'
import type { AccessibleBook } from '../../../books/access.ts'
import { listLatestVersions } from '../../../writing/list-latest-versions.ts'
import type { Html } from '../../components/html.ts'
import { byWriter } from '../../components/writer-name.ts'
import { formatDay } from '../../format/format-time.ts'
import type { SignedInVisit } from '../../visit.ts'
import { versionWords } from '../../components/version-words.ts'

const shownVersions = 5

/** The last five versions of a book, with a link to all of them. Empty for a preview. */
export async function bookVersions({ ctx }: SignedInVisit, book: AccessibleBook): Promise<Html | ''> {
  const versions = await listLatestVersions(ctx, book, shownVersions)
  if (versions.length === 0) return ''
  return html`<section aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <ol class="book-versions">
      ${versions.map(
        (entry) =>
          html`<li>
            ${
              entry.purgedAt === null
                ? html`<a href="/books/${book.id}?v=${entry.version}">Version ${entry.version}</a>`
                : html`Version ${entry.version}, removed`
            }
            <span class="facts">${formatDay(entry.at)}. ${versionWords(entry.reason, null)} ${byWriter(entry)}.</span>
          </li>`,
      )}
    </ol>
    <p><a href="/books/${book.id}/versions">All versions</a></p>
  </section>`
}
