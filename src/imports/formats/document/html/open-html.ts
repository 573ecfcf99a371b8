import { decodeMarkup } from '../../epub/decode-markup.ts'
import { noStyles, withSheets } from '../../epub/style-sheets.ts'
import type { BookInfo, OpenBook } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { signatureOf } from '../../match-format.ts'
import { documentBook, emptyInfo } from '../markup/document-book.ts'
import { fillFrames } from './html-frames.ts'
import { buildTables } from './html-grids.ts'
import { buildWordLists } from './html-word-lists.ts'
import { replaceFormulas } from './html-formulas.ts'
import { openLayoutLists, prepareHeadings } from './html-headings.ts'
import { prepareListings } from './html-listings.ts'
import { endHead, findMain, hasContent, wordsOf } from './html-main.ts'
import { addNotesBeside, markGoogleNotes, trimNoteNumbers, wrapTexinfoNotes } from './html-notes.ts'
import { describeDrawings, takePictures } from './html-pictures.ts'
import { sourceOf } from './html-source.ts'
import { labelPanels } from './html-tabs.ts'
import { openWebArchive, type WebArchive } from './web-archive.ts'
import { elementsOf, parseMarkup, replay, textOfMarkup, type MarkupElement } from './markup-tree.ts'

/** Elements for site navigation and controls around the text. */
const chrome = /^(?:nav|aside|form|button|dialog|footer|select|textarea|menu)$/
const chromeRoles = /^(?:navigation|banner|contentinfo|search|complementary|dialog|menu|menubar|toolbar|alert)$/
/** Class and id names that suggest navigation; such an element is removed only if most of its words are links. */
const chromeNames =
  /(?:^|[\s_-])(?:nav(?:bar|box|igation)?|menu|side-?bar|bread-?crumbs?|cookies?|banner|share|sharing|social|related|promo|advert\w*|ads?|newsletter|toc|toolbar|pagination|pager|footer|skip|editsection|edit-(?:this-)?(?:page|link)|header)(?:$|[\s_-])/i
/** Navigation bars of manuals by DocBook, Publican, Texinfo and Doxygen, at the start and end of every page. */
const manualChrome = /(?:^|\s)(?:docnav|navpath|navheader|navfooter|nav-panel|mw-editsection|footnotes-heading)(?:\s|$)/
/** Permalinks in headings. */
const headingLink =
  /(?:^|\s)(?:header-?link|header-?anchor|anchor(?:js)?(?:-link)?|permalink|heading-link|copiable-(?:anchor|link))(?:\s|$)/i
/** Opens an HTML page or web archive, including a saved page: its main text without the navigation of the site. */
export const openHtml: OpenBook = async (bytes, limits, options) => {
  const archive = signatureOf(bytes) === 'mhtml' ? openWebArchive(bytes, limits) : null
  const page = archive?.page ?? bytes
  if (page.length > limits.entryBytes) throw new FormatError('TOO_LARGE', `a page of ${page.length} bytes`)
  const source = decodeMarkup(page, archive?.charset)
  const root = parseMarkup(source)
  archive?.shortenLinks(root)
  const hasFrames = /<i?frame\b/i.test(source)
  if (hasFrames) fillFrames(root, archive)
  endHead(root)
  replaceFormulas(root)
  describeDrawings(root)
  wrapTexinfoNotes(root)
  markGoogleNotes(root)
  trimNoteNumbers(root)
  labelPanels(root)
  prepareListings(root)
  if (hasFrames || source.includes('mso-list')) buildWordLists(root)
  if (hasFrames || /role=["']?table|table-header/.test(source)) buildTables(root)
  openLayoutLists(root)
  const linkedHeadings = prepareHeadings(root)
  const main = findMain(root)
  addNotesBeside(main, root)
  const isPage = main.name !== 'body' && main.name !== ''
  const isBesideText = (element: MarkupElement) =>
    isHidden(element) || (isChrome(element, isPage) && !linkedHeadings.has(element) && !isWrapper(element, main))
  // An index is nothing but links.
  const isLeftOut = hasContent(main, isBesideText) ? isBesideText : isHidden
  return documentBook(
    {
      info: readInfo(root),
      parts: [(writer) => replay(main, writer.handler, isLeftOut)],
      source: hasPlaceLinks(main) ? sourceOf(main, isLeftOut) : null,
      readPicture: takePictures(root, archive?.find),
      // Scripts of pages display and hide elements by their classes.
      styles: { ...withSheets(noStyles, styleSheetsOf(root, archive)), hidden: noStyles.hidden },
    },
    limits,
    options?.keepFigure,
  )
}

function styleSheetsOf(root: MarkupElement, archive: WebArchive | null): string[] {
  const sheets: string[] = []
  for (const { name, attributes, children } of elementsOf(root)) {
    if (name === 'style') sheets.push(children.filter((child) => typeof child === 'string').join(''))
    const linked = name === 'link' ? archive?.find(attributes['href'] ?? '') : null
    if (linked && /\bstylesheet\b/i.test(attributes['rel'] ?? '')) sheets.push(decodeMarkup(linked.read()))
  }
  return sheets
}

/** True for an element that browsers do not show. */
function isHidden({ name, attributes }: MarkupElement): boolean {
  if (name === 'title') return true
  if (attributes['aria-hidden'] === 'true' && name !== 'math' && name !== 'svg') return true
  return /(?:^|;)\s*display\s*:\s*none/i.test(attributes['style'] ?? '')
}

/** True for navigation and controls around the text, and for links of headings to themselves. */
function isChrome(element: MarkupElement, isPage: boolean): boolean {
  const { name, attributes, textLength, linkLength } = element
  // Messages to browsers without scripts, and second copies of pictures that scripts load.
  if (name === 'noscript') return true
  if (chromeRoles.test(attributes['role'] ?? '')) return true
  if (name === 'a' && headingLink.test(attributes['class'] ?? '') && !/[\p{L}\p{N}]/u.test(textOfMarkup(element)))
    return true
  if (manualChrome.test(attributes['class'] ?? '')) return true
  const isMostlyLinks = linkLength > textLength * 0.5
  if (name === 'menu' || name === 'footer' || name === 'aside')
    return isPage ? isMostlyLinks : name !== 'aside' || isMostlyLinks
  if (chrome.test(name)) return true
  if (name === 'header') return !isPage && isMostlyLinks
  if (!isMostlyLinks || textLength === 0 || name === 'body' || name === 'html') return false
  return chromeNames.test(`${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`)
}

/** True if an element has links within the page that can be references to notes. */
function hasPlaceLinks(main: MarkupElement): boolean {
  return elementsOf(main).some(
    ({ name, attributes, textLength }) =>
      name === 'a' && textLength < 20 && attributes['href']?.startsWith('#') === true,
  )
}

/** True for a form around the text of a page, as of ASP.NET, and for a text that scripts would write, as of Blogger. */
function isWrapper(element: MarkupElement, main: MarkupElement): boolean {
  return /^(?:form|noscript)$/.test(element.name) && wordsOf(element) > wordsOf(main) * 0.9
}

function readInfo(root: MarkupElement): BookInfo {
  const info: BookInfo = { ...emptyInfo }
  const fields = new Map<string, string>()
  for (const element of elementsOf(root)) {
    const { name, attributes } = element
    if (name === 'html' && info.language === null)
      info.language = (attributes['lang'] ?? attributes['xml:lang'])?.trim() || null
    if (name === 'title' && info.title === null) info.title = textOfMarkup(element) || null
    if (name === 'body') break
    const key = (attributes['name'] ?? attributes['property'] ?? '').toLowerCase()
    const content = attributes['content']?.trim() ?? ''
    if (name === 'meta' && key !== '' && content !== '' && !fields.has(key)) fields.set(key, content)
  }
  const first = (...keys: string[]): string | null => keys.map((key) => fields.get(key)).find(Boolean) ?? null
  return {
    ...info,
    title: first('citation_title', 'dc.title', 'dcterms.title', 'og:title') ?? info.title,
    author: first('author', 'citation_author', 'dc.creator', 'dcterms.creator'),
    publisher: first('citation_publisher', 'dc.publisher', 'dcterms.publisher'),
    isbn: first('citation_isbn'),
    description: first('description', 'og:description', 'dc.description'),
  }
}
