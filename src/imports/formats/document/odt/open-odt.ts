import { decodeMarkup } from '../../epub/decode-markup.ts'
import { child, parseXml, parseXmlText, textOf, type XmlElement } from '../../epub/xml.ts'
import type { ReadPicture } from '../../epub/make-figure.ts'
import type { KeepFigure } from '../../figures.ts'
import type { BookInfo, BookReader, FormatLimits } from '../../format.ts'
import { FormatError } from '../../format.ts'
import type { Archive } from '../../zip/open-zip.ts'
import { documentBook, emptyInfo } from '../markup/document-book.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { OdtWriter } from './odt-writer.ts'
import { readOdtStyles } from './odt-styles.ts'
import { findDescendant, readXmlBlocks, type XmlNode } from '../markup/xml-blocks.ts'

/** Maximum number of formulas of a document; further ones are left out. */
const maxFormulas = 5_000

/** Opens an OpenDocument text: headings, lists, tables, notes, formulas and pictures, which are passed to `keep`. */
export async function openOdt(archive: Archive, limits: FormatLimits, keep?: KeepFigure): Promise<BookReader> {
  const xml = async (path: string): Promise<XmlElement | undefined> =>
    archive.paths.includes(path) ? parseXml(await archive.read(path), path) : undefined
  const manifest = archive.paths.includes('META-INF/manifest.xml') ? await archive.read('META-INF/manifest.xml') : null
  if (manifest !== null && Buffer.from(manifest).includes('encryption-data'))
    throw new FormatError('ENCRYPTED', 'the document is encrypted')
  const content = decodeMarkup(await archive.read('content.xml'))
  const automatic = /<office:automatic-styles[\s>][^]*?<\/office:automatic-styles>/.exec(content)?.[0]
  const local = automatic === undefined ? undefined : parseXmlText(automatic, 'content.xml')
  const styles = readOdtStyles([child(await xml('styles.xml'), 'document-styles'), local], content)
  const formulas = await readFormulas(archive)
  const write = (writer: ElementWriter): void => {
    const document = new OdtWriter(writer, { styles, formulas })
    readXmlBlocks(content, 'office:text', (block) => document.block(block))
    document.end()
  }
  const readPicture: ReadPicture = (path, maxBytes) => archive.readPicture(path, maxBytes)
  return documentBook({ info: readInfo(await xml('meta.xml')), parts: [write], readPicture }, limits, keep)
}

async function readFormulas(archive: Archive): Promise<Map<string, XmlNode>> {
  const formulas = new Map<string, XmlNode>()
  const paths = archive.paths.filter((path) => /^[^/]+\/content\.xml$/.test(path))
  for (const path of paths.slice(0, maxFormulas)) {
    const source = decodeMarkup(await archive.read(path))
    if (!/<(?:\w+:)?math[\s>]/.test(source.slice(0, 2_000))) continue
    readXmlBlocks(`<root>${source.replace(/<\?xml[^>]*\?>|<!DOCTYPE[^>]*>/g, '')}</root>`, 'root', (block) => {
      const math = /(?:^|:)math$/.test(block.name) ? block : findDescendant(block, 'math')
      if (math !== undefined) formulas.set(path.slice(0, path.indexOf('/')), math)
    })
  }
  return formulas
}

function readInfo(meta: XmlElement | undefined): BookInfo {
  const fields = child(child(meta, 'document-meta'), 'meta')
  const field = (...names: string[]): string | null =>
    names.map((name) => textOf(child(fields, name))).find(Boolean) ?? null
  return {
    ...emptyInfo,
    title: field('title'),
    author: field('initial-creator', 'creator'),
    language: field('language'),
    description: field('description'),
  }
}
