import type { BookInfo, FormatLimits } from '../format.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { readInfo } from './metadata.ts'
import type { PathResolver } from './resolve-path.ts'
import { resolveHref } from './resolve-path.ts'
import { attribute, child, children, parseXml } from './xml.ts'
import type { XmlElement } from './xml.ts'

/**
 * The content of the package document (EPUB 3.3, section 5, and OPF 2.0.1): metadata, reading order, paths of the
 * navigation.
 */
export interface BookPackage {
  info: BookInfo
  /** The files in reading order, without duplicates. */
  spine: SpineItem[]
  /** The paths of the navigation document (EPUB 3) and of the NCX (EPUB 2). */
  nav: string | null
  ncx: string | null
  /** The path of the page map, in which some EPUB 2 books list their printed pages. */
  pageMap: string | null
  /** The path of the declared cover picture (EPUB 3: by a property, EPUB 2: by metadata). */
  cover: string | null
}

export interface SpineItem {
  path: string
  /** True for an image in the reading order. */
  picture: boolean
}

interface ManifestItem {
  path: string
  mediaType: string
  properties: string
  fallback: string | null
}

const containerPath = 'META-INF/container.xml'
const textTypes = new Set([
  'application/xhtml+xml',
  'text/html',
  'image/svg+xml',
  'application/x-dtbook+xml',
  'text/x-oeb1-document',
  'application/xml',
  'text/xml',
])

/** Reads the package document of an EPUB. Throws `BROKEN` if it is missing or has no content. */
export async function readPackage(
  archive: Archive,
  resolvePath: PathResolver,
  limits: FormatLimits,
): Promise<BookPackage> {
  const path = await findPackage(archive, resolvePath)
  const document = child(parseXml(await archive.read(path), path), 'package')
  const manifest = readManifest(document, { path, resolvePath })
  if (manifest.size > limits.entries) {
    throw new FormatError('TOO_LARGE', `${manifest.size} files in the manifest; the limit is ${limits.entries}`)
  }
  const items = [...manifest.values()]
  const spine = child(document, 'spine')
  const ncx = manifest.get(attribute(spine, 'toc') ?? '') ?? items.find(isNcx)
  const metadata = child(document, 'metadata')
  return {
    info: readInfo(child(metadata, 'dc-metadata') ?? metadata),
    spine: readSpine(spine, manifest),
    nav: items.find((item) => /(?:^|\s)nav(?:\s|$)/.test(item.properties))?.path ?? null,
    ncx: ncx !== undefined && isNcx(ncx) ? ncx.path : (archive.paths.find((file) => /\.ncx$/i.test(file)) ?? null),
    pageMap: (manifest.get(attribute(spine, 'page-map') ?? '') ?? items.find(isPageMap))?.path ?? null,
    cover: findCover(metadata, manifest),
  }
}

function findCover(metadata: XmlElement | undefined, manifest: ReadonlyMap<string, ManifestItem>): string | null {
  const declared = [...manifest.values()].find((item) => /(?:^|\s)cover-image(?:\s|$)/.test(item.properties))
  const named = children(metadata, 'meta').find((meta) => attribute(meta, 'name') === 'cover')
  const item = declared ?? manifest.get(attribute(named, 'content') ?? '')
  return item?.mediaType.startsWith('image/') === true ? item.path : null
}

function isNcx(item: ManifestItem): boolean {
  return item.mediaType === 'application/x-dtbncx+xml' || /\.ncx$/i.test(item.path)
}

function isPageMap(item: ManifestItem): boolean {
  return item.mediaType === 'application/oebps-page-map+xml'
}

/** The package document that the container names; if none of those exists, the only `.opf` file. */
async function findPackage(archive: Archive, resolvePath: PathResolver): Promise<string> {
  const container = resolvePath(containerPath) === containerPath ? await archive.read(containerPath) : null
  if (container !== null) {
    const root = child(parseXml(container, containerPath), 'container')
    for (const file of children(child(root, 'rootfiles'), 'rootfile')) {
      const target = resolveHref('', attribute(file, 'full-path') ?? '')
      const found = target === null || target.path === '' ? null : resolvePath(target.path)
      if (found !== null) return found
    }
  }
  const packages = archive.paths.filter((path) => /\.opf$/i.test(path))
  if (packages.length === 1 && packages[0] !== undefined) return packages[0]
  throw new FormatError('BROKEN', container === null ? `no ${containerPath}: not an EPUB` : 'no package document')
}

function readManifest(
  document: XmlElement | undefined,
  { path, resolvePath }: { path: string; resolvePath: PathResolver },
): Map<string, ManifestItem> {
  const manifest = new Map<string, ManifestItem>()
  for (const item of children(child(document, 'manifest'), 'item')) {
    const id = attribute(item, 'id')
    const target = resolveHref(path, attribute(item, 'href') ?? '')
    const found = target === null ? null : resolvePath(target.path)
    if (id === null || found === null || manifest.has(id)) continue
    manifest.set(id, {
      path: found,
      mediaType: (attribute(item, 'media-type') ?? '').toLowerCase().replace(/\s*;.*$/, ''),
      properties: attribute(item, 'properties') ?? '',
      fallback: attribute(item, 'fallback'),
    })
  }
  return manifest
}

/**
 * Reads the spine. Keeps `linear="no"` files in their place, because notes and answers are part of the book. Drops
 * duplicate paths.
 */
function readSpine(spine: XmlElement | undefined, manifest: ReadonlyMap<string, ManifestItem>): SpineItem[] {
  const items = new Map<string, SpineItem>()
  for (const reference of children(spine, 'itemref')) {
    const item = toSpineItem(manifest.get(attribute(reference, 'idref') ?? ''), manifest)
    if (item !== null && !items.has(item.path)) items.set(item.path, item)
  }
  if (items.size === 0) throw new FormatError('BROKEN', 'the reading order names no file of the book')
  return [...items.values()]
}

/** The first of the item and its fallbacks that is text; otherwise an image; otherwise null. */
function toSpineItem(item: ManifestItem | undefined, manifest: ReadonlyMap<string, ManifestItem>): SpineItem | null {
  let candidate = item
  for (let hops = 0; candidate !== undefined && hops < 10; hops++) {
    if (isText(candidate)) return { path: candidate.path, picture: false }
    candidate = candidate.fallback === null ? undefined : manifest.get(candidate.fallback)
  }
  return item?.mediaType.startsWith('image/') === true ? { path: item.path, picture: true } : null
}

function isText(item: ManifestItem): boolean {
  return textTypes.has(item.mediaType) || /\.(?:x?html?|xml)$/i.test(item.path)
}
