import { posix } from 'node:path'
import { decodeMarkup } from '../epub/decode-markup.ts'
import { attribute, child, children, parseXml, textOf, type XmlElement } from '../epub/xml.ts'
import type { ReadPicture } from '../epub/make-figure.ts'
import type { KeepFigure } from '../figures.ts'
import type { BookInfo, BookReader, FormatLimits } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { documentBook, emptyInfo } from './document-book.ts'
import { DocxNotes } from './docx-notes.ts'
import { HeadingNumbers, readDocxNumbering } from './docx-numbering.ts'
import { readDocxStyles } from './docx-styles.ts'
import { DocxWriter, type DocxParts } from './docx-writer.ts'
import type { ElementWriter } from './element-writer.ts'
import { readXmlBlocks } from './xml-blocks.ts'

/** Opens a Word document: headings, lists, tables, notes, formulas and pictures, which are passed to `keep`. */
export async function openDocx(archive: Archive, limits: FormatLimits, keep?: KeepFigure): Promise<BookReader> {
  const xml = async (path: string): Promise<XmlElement | undefined> =>
    archive.paths.includes(path) ? parseXml(await archive.read(path), path) : undefined
  const source = async (path: string): Promise<string> =>
    archive.paths.includes(path) ? decodeMarkup(await archive.read(path)) : ''
  const numbering = readDocxNumbering(await xml('word/numbering.xml'))
  const related = readRelationships(await xml('word/_rels/document.xml.rels'))
  const info = readInfo(await xml('docProps/core.xml'))
  const body = await source('word/document.xml')
  const styles = readDocxStyles(await xml('word/styles.xml'), body)
  const notes = {
    footnote: await source('word/footnotes.xml'),
    endnote: await source('word/endnotes.xml'),
    comment: await source('word/comments.xml'),
  }
  const noteParts = {
    footnote: readRelationships(await xml('word/_rels/footnotes.xml.rels')),
    endnote: readRelationships(await xml('word/_rels/endnotes.xml.rels')),
    comment: readRelationships(await xml('word/_rels/comments.xml.rels')),
  }
  const writeBody = (writer: ElementWriter): void => {
    const counted = { headingNumbers: new HeadingNumbers(numbering), notes: new DocxNotes(notes) }
    const document = new DocxWriter(writer, { styles, numbering, ...counted, ...related }, noteParts)
    readXmlBlocks(body, 'w:body', (block) => document.block(block))
    document.end()
  }
  const readPicture: ReadPicture = (path, maxBytes) => archive.readPicture(path, maxBytes)
  return documentBook({ info, parts: [writeBody], readPicture }, limits, keep)
}

/** Link targets and archive paths of pictures by relationship id; leaves out pictures outside the archive. */
function readRelationships(relationships: XmlElement | undefined): Pick<DocxParts, 'links' | 'pictures'> {
  const all = children(child(relationships, 'Relationships'), 'Relationship').map((one) => ({
    id: attribute(one, 'Id') ?? '',
    type: attribute(one, 'Type') ?? '',
    target: attribute(one, 'Target') ?? '',
    isOutside: attribute(one, 'TargetMode') === 'External',
  }))
  const links = all.filter(({ type }) => type.endsWith('/hyperlink'))
  const pictures = all.filter(({ type, isOutside }) => type.endsWith('/image') && !isOutside)
  return {
    links: new Map(links.map(({ id, target }) => [id, target])),
    pictures: new Map(pictures.map(({ id, target }) => [id, posix.resolve('/word', target).slice(1)])),
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
