import { decodeMarkup } from '../epub/decode-markup.ts'
import { attribute, child, children, parseXml, textOf, type XmlElement } from '../epub/xml.ts'
import type { BookInfo, BookReader, FormatLimits } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { documentBook, emptyInfo } from './document-book.ts'
import { readDocxStyles } from './docx-styles.ts'
import { DocxWriter } from './docx-writer.ts'
import type { ElementWriter } from './element-writer.ts'
import { readXmlBlocks } from './xml-blocks.ts'

/** Opens a Word document: headings, lists, tables, notes, formulas, and the alternative texts of its pictures. */
export async function openDocx(archive: Archive, limits: FormatLimits): Promise<BookReader> {
  const xml = async (path: string): Promise<XmlElement | undefined> =>
    archive.paths.includes(path) ? parseXml(await archive.read(path), path) : undefined
  const source = async (path: string): Promise<string> =>
    archive.paths.includes(path) ? decodeMarkup(await archive.read(path)) : ''
  const styles = readDocxStyles(await xml('word/styles.xml'), await xml('word/numbering.xml'))
  const links = readLinks(await xml('word/_rels/document.xml.rels'))
  const info = readInfo(await xml('docProps/core.xml'))
  const body = await source('word/document.xml')
  const notes = { footnote: await source('word/footnotes.xml'), endnote: await source('word/endnotes.xml') }
  const noteLinks = {
    footnote: readLinks(await xml('word/_rels/footnotes.xml.rels')),
    endnote: readLinks(await xml('word/_rels/endnotes.xml.rels')),
  }
  const writeBody = (writer: ElementWriter): void => {
    const document = new DocxWriter(writer, { styles, links })
    readXmlBlocks(body, 'w:body', (block) => document.block(block))
    document.end()
    for (const kind of ['footnote', 'endnote'] as const) {
      const noteWriter = new DocxWriter(writer, { styles, links: noteLinks[kind] })
      readXmlBlocks(notes[kind], `w:${kind}s`, (note) => noteWriter.note(kind, note))
    }
  }
  return documentBook({ info, parts: [writeBody] }, limits)
}

function readLinks(relationships: XmlElement | undefined): Map<string, string> {
  const links = children(child(relationships, 'Relationships'), 'Relationship')
  return new Map(
    links
      .filter((link) => attribute(link, 'Type')?.endsWith('/hyperlink') === true)
      .map((link) => [attribute(link, 'Id') ?? '', attribute(link, 'Target') ?? '']),
  )
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
