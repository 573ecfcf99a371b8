import { collectFigures, maxRepeats, type KeepFigure } from '../figures.ts'
import { createFigureLoader } from './make-figure.ts'
import type { Archive } from '../zip/open-zip.ts'
import type { Block } from './blocks.ts'
import { decodeMarkup } from './decode-markup.ts'
import type { BookPackage } from './package.ts'
import { describePicture, fillPlaces, type PictureReference } from './picture-places.ts'
import { resolveHref, type PathResolver } from './resolve-path.ts'

/** Number of text files that are searched for ornaments, and how much of each. */
const sampledFiles = 12
const maxSampleBytes = 1024 * 1024

/** The figures of an EPUB. */
export interface EpubFigures {
  /** Replaces the placeholders of pictures in blocks of the file `path` by their texts. */
  fill(path: string, blocks: readonly Block[], pictures: readonly PictureReference[]): Promise<Block[]>
  /** The text of a picture that is a page of its own. */
  pageFor(path: string): Promise<string>
}

/** Finds the pictures of an EPUB in its archive, and keeps the meaningful ones. */
export function createEpubFigures(
  archive: Archive,
  { book, resolvePath, keep }: { book: BookPackage; resolvePath: PathResolver; keep: KeepFigure },
): EpubFigures {
  const figures = collectFigures(keep)
  let ornaments: Promise<ReadonlySet<string>> | undefined
  const load = createFigureLoader((path, maxBytes) => archive.readPicture(path, maxBytes))
  const textFor = async (base: string, picture: PictureReference): Promise<string> => {
    ornaments ??= findOrnaments(archive, { book, resolvePath })
    const path = pathOf(base, picture.href, resolvePath)
    if (path === null || (await ornaments).has(path)) return describePicture(picture)
    return figures.textFor({ source: path, caption: picture.caption }, () => load(path))
  }
  return {
    fill: (path, blocks, pictures) =>
      pictures.length === 0 ? Promise.resolve([...blocks]) : fillPlaces(blocks, pictures, (one) => textFor(path, one)),
    pageFor: (path) => figures.textFor({ source: path, caption: '' }, () => load(path)),
  }
}

function pathOf(base: string, href: string, resolvePath: PathResolver): string | null {
  const target = resolveHref(base, href)
  return target === null || target.path === '' ? null : resolvePath(target.path)
}

const pictureAddress = /(?:src|href)\s*=\s*["']([^"'<>]{1,500}\.(?:jpe?g|png|gif|webp))["']/gi

/** Finds pictures that recur throughout the book: scene rules, publishers' logos. */
async function findOrnaments(
  archive: Archive,
  { book, resolvePath }: { book: BookPackage; resolvePath: PathResolver },
): Promise<ReadonlySet<string>> {
  const texts = book.spine.filter(({ picture }) => !picture)
  const step = Math.max(1, texts.length / sampledFiles)
  const uses = new Map<string, number>()
  for (let at = 0; at < texts.length; at += step) {
    const { path = '' } = texts[Math.floor(at)] ?? {}
    const bytes = await archive.readPicture(path, maxSampleBytes).catch(() => new Uint8Array())
    for (const [, href = ''] of decodeMarkup(bytes).matchAll(pictureAddress)) {
      const found = pathOf(path, href, resolvePath)
      if (found !== null) uses.set(found, (uses.get(found) ?? 0) + 1)
    }
  }
  return new Set([...uses].filter(([, count]) => count > maxRepeats).map(([path]) => path))
}
