import { html } from 'hono/html'
import { canWrite } from '../../../books/access.ts'
import type { PageView } from '../../../reading/read-page.ts'
import { importExtentOf } from '../../../reading/find-unfinished.ts'
import { pageUrl } from '../../../reading/page-url.ts'
import { languageTagOf } from '../../../text/words/detect-language.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import type { SignedInVisit } from '../../visit.ts'
import { findForm } from './find-in-book.ts'
import {
  bookPath,
  keptParameters,
  keptQuery,
  newerVersionNotice,
  pagePath,
  pathsFrom,
  previewNotice,
  versionLine,
} from './opened-book.ts'
import { pagePicture, type PagePicture } from './picture.ts'
import { similarUrl } from '../search/search-query.ts'
import { chaptersAtTop, readerContents } from './reader-contents.ts'
import { lastExpectedPage, unfinishedNotice } from './unfinished-book.ts'
import { formatChapters } from '../../format/format-chapters.ts'
import { preferencesMenu } from './reader-preferences.ts'
import type { PageText } from './page-text.ts'

/** A displayed page. */
export type ReaderView = PageView &
  PageText & {
    /** True if the text is shown character by character. */
    stored: boolean
    /** The reader's position, if this page was opened without changing it. */
    former: number | null
  }

/** Renders a page of a book: its text, links to other pages next to it, and how to cite it. */
export function readerView(visit: SignedInVisit, view: ReaderView): Html {
  const { book, pageNum, text, note } = view
  const language = book.language ?? ''
  const chapters = formatChapters(chaptersAtTop(view), book.title)
  const picture = pagePicture(view)
  // On a page without text, such as a scanned one, there is nothing else to read.
  const isOnlyPicture = picture !== null && view.content.trim() === ''
  const showsPicture = isOnlyPicture || (picture !== null && visit.url.searchParams.get('picture') === '1')
  const turn = pathsFrom(visit.url, view)
  return html`<div class="reader ${showsPicture ? 'with-picture' : ''}">
    <div class="reader-main">
      <div class="reader-head">
        <h1>
          <a href="${bookPath(view)}" dir="auto" lang="${language}">${book.title}</a>
          <span>Page ${pageNum}${printedNumber(view)}</span>
        </h1>
        ${chapters ? html`<p class="reader-chapter" dir="auto" lang="${language}">${chapters}</p>` : ''}
      </div>
      ${readerBar(visit, view, { turn, picture: isOnlyPicture ? null : picture, showsPicture })}
      <progress
        class="reader-progress"
        aria-label="Position in the book"
        max="${lastExpectedPage(view) ?? view.lastPage}"
        value="${pageNum}"
      ></progress>
      ${newerVersionNotice(view, `/books/${book.id}/pages/${pageNum}`)} ${previewNotice(view)} ${unfinishedNotice(view)}
      ${placeNotices(visit, view)} ${recognitionNotice(visit, view, picture)} ${note}
      ${showsPicture && picture ? pictureFigure(view, picture) : ''}
      <article
        class="page-text ${view.stored ? 'as-stored' : ''}"
        lang="${languageOfPage(view)}"
        aria-label="Text of page ${pageNum}"
        data-page-text
      >
        ${text}
      </article>
      ${turning(view, turn)} ${citation(visit, view)}
    </div>
    ${readerContents(view, turn)}
  </div>`
}

/** The number of characters by which the language of a page is recognised. */
const sampleLength = 4000

/**
 * The language of the text, by which browsers hyphenate, choose fonts and pronounce it; empty if it is unknown. Some programs declare
 * every PDF file as English.
 */
function languageOfPage({ book, content }: ReaderView): string {
  return languageTagOf(content.slice(0, sampleLength), book.language)
}

type Turn = (pageNum: number) => string

interface BarParts {
  turn: Turn
  /** The picture that the reader can show and hide. */
  picture: PagePicture | null
  showsPicture: boolean
}

function readerBar(visit: SignedInVisit, view: ReaderView, { turn, picture, showsPicture }: BarParts): Html {
  const { toc, pageNum, book } = view
  return html`<div class="reader-bar">
    ${
      toc.length > 0
        ? html`<a class="reader-tool reader-open" href="#contents" title="Contents"
            >${icon('list')}<span class="hidden-text">Contents</span></a
          >`
        : ''
    }
    ${pager(visit, view, turn)} ${book.access.previewPages === null ? findForm(view) : ''}
    ${
      picture
        ? html`<a
            class="reader-tool"
            href="${pagePath(view, pageNum, ...keptQuery(visit.url, 'picture'), ...(showsPicture ? [] : ['picture=1']))}"
            title="${showsPicture ? 'Hide the picture of the page' : 'Show the picture of the page'}"
            >${icon('image')}<span class="hidden-text"
              >${showsPicture ? 'Hide the picture of the page' : 'Show the picture of the page'}</span
            ></a
          >`
        : ''
    }
    ${preferencesMenu(visit)}
  </div>`
}

/** The printed page number, if it differs. */
function printedNumber({ label, pageNum }: ReaderView): string {
  return label === null || label === String(pageNum) ? '' : `, printed ${label}`
}

function pager({ url }: SignedInVisit, view: ReaderView, turn: Turn): Html {
  const { book, manifest, pageNum } = view
  return html`<form class="reader-pager" method="get" action="/books/${book.id}/go">
    ${manifest.version > 0 ? hiddenField('v', String(manifest.version)) : ''}
    ${keptParameters(url).map(([name, value]) => hiddenField(name, value))}
    <label class="hidden-text" for="page">Page number, or the number printed on the page</label>
    <input id="page" name="page" value="${pageNum}" maxlength="20" autocomplete="off" spellcheck="false" />
    <span>of ${(importExtentOf(book).pagesExpected ?? manifest.pageCount).toLocaleString('en-GB')}</span>
    <button class="quiet reader-go">Go</button>
    ${pageNum > 1 ? html`<a class="reader-tool" rel="prev" href="${turn(pageNum - 1)}" title="Page ${pageNum - 1}">${icon('chevron-left')}<span class="hidden-text">Page ${pageNum - 1}</span></a>` : ''}
    ${hasNext(view) ? html`<a class="reader-tool" rel="next" href="${turn(pageNum + 1)}" title="Page ${pageNum + 1}">${icon('chevron-right')}<span class="hidden-text">Page ${pageNum + 1}</span></a>` : ''}
  </form>`
}

function placeNotices({ url }: SignedInVisit, view: ReaderView): Html | '' {
  const { label, pageNum, former } = view
  if (url.searchParams.get('printed') === '1' && label !== null) {
    return html`<p class="reader-note" role="status">
      The page printed “${label}” is page ${pageNum} of the book. Citations name page ${pageNum}.
    </p>`
  }
  if (former === null) return ''
  return html`<p class="reader-note">
    ${icon('bookmark')} You were on page ${former}. <a href="${pathsFrom(url, view)(former)}">Go back there</a>
  </p>`
}

/** A notice that the text was recognised from a picture. */
function recognitionNotice({ url }: SignedInVisit, view: ReaderView, picture: PagePicture | null): Html | '' {
  const { ocr, pageNum } = view
  if (ocr === null) return ''
  return html`<p class="reader-note">
    The text of this page was recognised from its picture (OCR), with a confidence of ${ocr} %. It may contain
    errors${picture ? html`: <a href="${pagePath(view, pageNum, ...keptQuery(url, 'picture'), 'picture=1')}">compare it with the picture</a>` : ''}.
  </p>`
}

/** True if another page follows, including one that is still being imported. */
function hasNext(view: ReaderView): boolean {
  return view.pageNum < (lastExpectedPage(view) ?? Infinity)
}

function turning(view: ReaderView, turn: Turn): Html {
  const { pageNum } = view
  return html`<nav class="turning" aria-label="Pages">
    ${pageNum > 1 ? html`<a rel="prev" href="${turn(pageNum - 1)}">← Page ${pageNum - 1}</a>` : html`<span></span>`}
    ${hasNext(view) ? html`<a rel="next" href="${turn(pageNum + 1)}">Page ${pageNum + 1} →</a>` : html`<span>End of the book</span>`}
  </nav>`
}

function pictureFigure({ pageNum }: ReaderView, { narrow, wide, filePage, exact }: PagePicture): Html {
  return html`<figure class="reader-picture">
    <a href="${wide}"
      ><img
        src="${narrow}"
        srcset="${narrow} 600w, ${wide} 1200w"
        sizes="(min-width: 80rem) 36rem, 100vw"
        width="600"
        height="848"
        loading="lazy"
        alt="Page ${pageNum} as it is printed"
    /></a>
    ${exact ? '' : html`<figcaption>Page ${filePage} of the original file; the text has changed since.</figcaption>`}
  </figure>`
}

/** True if the editor opens the displayed text: that of the current version of a Markdown book that the caller may change. */
function hasEditor({ book, manifest }: ReaderView): boolean {
  return canWrite(book) && book.sourceType === 'markdown' && manifest.version > 0 && manifest.version === book.version
}

function citation({ ctx, url }: SignedInVisit, view: ReaderView): Html {
  const { book, manifest, pageNum, stored } = view
  const address = pageUrl(ctx, { id: book.id, version: manifest.version, pageNum })
  const text = `(${book.title}, p.\u00A0${pageNum})`
  return html`<footer class="reader-foot">
    <p class="cite">
      Cite as <span>(<bdi>${book.title}</bdi>, p.&nbsp;${pageNum})</span><br /><a href="${address}">${address}</a>
      <button type="button" class="quiet" hidden data-cite="${text}" data-address="${address}">
        ${icon('quote')}Copy citation
      </button>
    </p>
    <p class="passage-link" hidden>
      <a class="button" href="${address}" data-passage>${icon('link')}Link to these words</a>
    </p>
    <p class="facts reader-ways">
      <span>${versionLine(view)}</span>
      <a href="${pagePath(view, pageNum, ...keptQuery(url, 'as'), `as=${stored ? 'text' : 'stored'}`)}"
        >${stored ? 'Formatted' : 'Exactly as stored'}</a
      >
      ${
        manifest.version === book.version
          ? html`<a href="${similarUrl(book.id, pageNum)}">Find pages like this one</a>`
          : ''
      }
      ${hasEditor(view) ? html`<a href="/books/${book.id}/edit/${pageNum}">Edit this page</a>` : ''}
    </p>
  </footer>`
}
