import { posix } from 'node:path'
import { decodeMarkup } from '../../epub/decode-markup.ts'
import { attribute, child, children, parseXml, textOf, type XmlElement } from '../../epub/xml.ts'
import type { ReadPicture } from '../../epub/make-figure.ts'
import type { KeepFigure } from '../../figures.ts'
import type { BookInfo, BookReader, FormatLimits } from '../../format.ts'
import { signatureOf } from '../../match-format.ts'
import type { Archive } from '../../zip/open-zip.ts'
import { documentBook, emptyInfo } from '../markup/document-book.ts'
import { textsOfDiagram } from './docx-diagrams.ts'
import { DocxNotes } from './docx-notes.ts'
import { HeadingNumbers, readDocxNumbering } from './docx-numbering.ts'
import { readDocxStyles } from './docx-styles.ts'
import { DocxWriter, type DocxParts } from './docx-writer.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { readXmlBlocks } from '../markup/xml-blocks.ts'

const usualDocument = 'word/document.xml'

/**
 * The path of the text of a Word document, which some programs call `document2.xml`; null if the archive is no Word
 * document.
 */
export async function findDocxText(archive: Archive): Promise<string | null> {
  if (archive.paths.includes(usualDocument)) return usualDocument
  const { parts } = readRelationships(await readXml(archive, '_rels/.rels'), '')
  const path = parts.get('officeDocument') ?? ''
  return /^word\/[^/]+\.xml$/.test(path) && archive.paths.includes(path) ? path : null
}

/** Opens a page in HTML or a web archive. */
type OpenPage = (bytes: Uint8Array) => Promise<BookReader>

/**
 * Opens a Word document whose text is at `textPath`: headings, lists, tables, notes, formulas and pictures, which are
 * passed to `keep`. Some programs only wrap a page in HTML; then `openPage` opens it.
 */
export async function openDocx(
  archive: Archive,
  textPath: string,
  { limits, keep, openPage }: { limits: FormatLimits; keep: KeepFigure | undefined; openPage: OpenPage },
): Promise<BookReader> {
  const xml = (part: string): Promise<XmlElement | undefined> => readXml(archive, part)
  const source = async (part: string): Promise<string> =>
    archive.paths.includes(part) ? decodeMarkup(await archive.read(part)) : ''
  const relatedTo = async (part: string): Promise<Relationships> =>
    readRelationships(await xml(posix.join('word/_rels', `${posix.basename(part)}.rels`)), 'word')
  const related = await relatedTo(textPath)
  const partOf = (type: string): string => related.parts.get(type) ?? `word/${type}.xml`
  const numbering = readDocxNumbering(await xml(partOf('numbering')))
  const info = readInfo(await xml('docProps/core.xml'))
  const body = await source(textPath)
  const page = related.parts.get('aFChunk') ?? ''
  if (isOnlyChunk(body) && archive.paths.includes(page)) {
    const bytes = await archive.read(page)
    if (/^m?html$/.test(signatureOf(bytes))) return openPage(bytes)
  }
  const styles = readDocxStyles(await xml(partOf('styles')), body)
  const notes = {
    footnote: await source(partOf('footnotes')),
    endnote: await source(partOf('endnotes')),
    comment: await source(partOf('comments')),
  }
  const diagrams = new Map<string, string[]>()
  for (const [id, part] of related.diagrams) diagrams.set(id, textsOfDiagram(await source(part)))
  const noteParts = {
    footnote: await relatedTo(partOf('footnotes')),
    endnote: await relatedTo(partOf('endnotes')),
    comment: await relatedTo(partOf('comments')),
  }
  const writeBody = (writer: ElementWriter): void => {
    const counted = { headingNumbers: new HeadingNumbers(numbering), notes: new DocxNotes(notes) }
    const document = new DocxWriter(writer, { styles, numbering, ...counted, ...related, diagrams }, noteParts)
    readXmlBlocks(body, 'w:body', (block) => document.block(block))
    document.end()
  }
  const readPicture: ReadPicture = (path, maxBytes) => archive.readPicture(path, maxBytes)
  return documentBook({ info, parts: [writeBody], readPicture }, limits, keep)
}

/** Whether a document has no text of its own but a file that Word is to convert (ECMA-376, part 1, 17.17.2). */
function isOnlyChunk(body: string): boolean {
  return body.split('<w:altChunk', 3).length === 2 && !/<w:t[\s>]/.test(body)
}

async function readXml(archive: Archive, path: string): Promise<XmlElement | undefined> {
  return archive.paths.includes(path) ? parseXml(await archive.read(path), path) : undefined
}

/** Link targets and archive paths of pictures by relationship id, and those of the other parts by their type. */
interface Relationships extends Pick<DocxParts, 'links' | 'pictures'> {
  parts: ReadonlyMap<string, string>
  /** The data parts of diagrams by relationship id. */
  diagrams: ReadonlyMap<string, string>
}

/** Reads the relationships of a part in `folder`; leaves out parts and pictures outside the archive. */
function readRelationships(relationships: XmlElement | undefined, folder: string): Relationships {
  const all = children(child(relationships, 'Relationships'), 'Relationship').map((one) => ({
    id: attribute(one, 'Id') ?? '',
    type: posix.basename(attribute(one, 'Type') ?? ''),
    target: attribute(one, 'Target') ?? '',
    isOutside: attribute(one, 'TargetMode') === 'External',
  }))
  const pathOf = (target: string): string => posix.resolve(`/${folder}`, target).slice(1)
  const links = all.filter(({ type }) => type === 'hyperlink')
  const inside = all.filter(({ type, isOutside }) => type !== 'hyperlink' && !isOutside)
  const idsOf = (wanted: string): Map<string, string> =>
    new Map(inside.filter(({ type }) => type === wanted).map(({ id, target }) => [id, pathOf(target)]))
  return {
    links: new Map(links.map(({ id, target }) => [id, target])),
    pictures: idsOf('image'),
    diagrams: idsOf('diagramData'),
    parts: new Map(inside.map(({ type, target }) => [type, pathOf(target)])),
  }
}

function readInfo(properties: XmlElement | undefined): BookInfo {
  const core = child(properties, 'coreProperties')
  const field = (name: string): string | null => textOf(child(core, name)) || null
  return {
    ...emptyInfo,
    title: field('title'),
    author: field('creator'),
    language: field('language'),
    description: field('description'),
  }
}
