import { html } from 'hono/html'
import { compareVersions, type PageDifference, type VersionComparison } from '../../../writing/compare-versions.ts'
import type { Html } from '../../components/html.ts'
import { factsList } from '../../components/facts-list.ts'
import { textDiff } from '../../components/text-diff.ts'
import { writerName } from '../../components/writer-name.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import { parsePositiveInteger } from '../book/opened-book.ts'
import { respondReaderRefusal } from '../book/respond-reader-refusal.ts'

/** Mounts /books/{id}/versions/compare?from=&to=: the differences between two versions, page by page. */
export function mountCompareVersions(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/versions/compare', (visit) =>
    comparePage(visit).catch((error: unknown) => respondReaderRefusal(visit, error)),
  )
}

async function comparePage(visit: SignedInVisit): Promise<Response> {
  const { id = '' } = visit.params
  const [a, b] = [versionOf(visit, 'from'), versionOf(visit, 'to')]
  if (a === b) return redirect(visit, `/books/${encodeURIComponent(id)}/versions?done=same`)
  const start = Number(/^\d{1,9}$/.exec(visit.url.searchParams.get('start') ?? '')?.[0] ?? 0)
  const comparison = await compareVersions(visit.ctx, { id, from: Math.min(a, b), to: Math.max(a, b), start })
  return respondPage(visit, {
    title: `Versions ${comparison.from.version} and ${comparison.to.version} of ${comparison.book.title}`,
    width: 'wide',
    content: comparisonView(comparison),
  })
}

function versionOf({ url }: SignedInVisit, name: string): number {
  return parsePositiveInteger(url.searchParams.get(name) ?? '', 'version')
}

function comparisonView(comparison: VersionComparison): Html {
  const { book, from, to, pages, part } = comparison
  return html`<p class="kind">
      <a href="/books/${book.id}/versions">Versions of <bdi>${book.title}</bdi></a>
    </p>
    <h1 class="under-kind">Version ${from.version} and version ${to.version}</h1>
    ${factsList(
      [from, to].map((entry) => [
        `Version ${entry.version}`,
        html`${writerName(entry)}, ${formatDateTime(entry.at)},
          <a href="/books/${book.id}?v=${entry.version}">read it</a>`,
      ]),
    )}
    ${pages.length === 0 ? html`<p>Both versions have the same text.</p>` : summary(comparison)}
    ${part.map((difference) => pageDifference(difference, comparison))} ${partLinks(comparison)}`
}

function summary({ pages, part, start }: VersionComparison): Html {
  const count = pages.length === 1 ? '1 page differs' : `${pages.length.toLocaleString('en-GB')} pages differ`
  const shown = part.length === pages.length ? '' : ` Shown: ${start + 1} to ${start + part.length}.`
  return html`<p>${count}.${shown} <del>Removed words</del> and <ins>added words</ins> are marked.</p>`
}

function pageDifference({ before, after, stretches }: PageDifference, { book, from, to }: VersionComparison): Html {
  const id = `page-${before ?? 'none'}-${after ?? 'none'}`
  const title =
    before === null
      ? `Page ${after}, added`
      : after === null
        ? `Page ${before}, removed`
        : before === after
          ? `Page ${after}`
          : `Page ${before}, now page ${after}`
  const [number, version] = after === null ? [before, from.version] : [after, to.version]
  return html`<section class="page-difference" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${
      stretches.length === 0
        ? html`<p class="quiet-text">The text of this page is the same.</p>`
        : textDiff(stretches, book.language)
    }
    <p><a href="/books/${book.id}/pages/${number}?v=${version}">Read this page in version ${version}</a></p>
  </section>`
}

function partLinks({ book, from, to, start, nextStart }: VersionComparison): Html | '' {
  if (start === 0 && nextStart === null) return ''
  const path = `/books/${book.id}/versions/compare?from=${from.version}&to=${to.version}`
  return html`<nav class="turning" aria-label="More pages">
    ${start === 0 ? html`<span></span>` : html`<a rel="prev" href="${path}">← First pages</a>`}
    ${nextStart === null ? '' : html`<a rel="next" href="${path}&start=${nextStart}">More pages →</a>`}
  </nav>`
}
