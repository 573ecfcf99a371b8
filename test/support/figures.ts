import { deflateSync, crc32 } from 'node:zlib'
import { openEpub } from '../../src/imports/formats/epub/open-epub.ts'
import { openPdf } from '../../src/imports/formats/pdf/open-pdf.ts'
import { defaultLimits } from '../../src/imports/formats/format.ts'
import type { Figure } from '../../src/imports/formats/figures.ts'
import { buildEpub, type EpubParts } from './epub.ts'
import { testJpeg } from './drawing.ts'

export interface ReadFigures {
  /** The texts of the pages, with figures numbered in order: `figure:1`. */
  pages: string[]
  figures: Figure[]
}

/** Reads a book with its figures. */
export async function readWithFigures(open: typeof openEpub, bytes: Uint8Array): Promise<ReadFigures> {
  const figures: Figure[] = []
  const book = await open(bytes, defaultLimits, { keepFigure: async (figure) => void figures.push(figure) })
  const pages: string[] = []
  for await (const { content } of book.pages()) {
    pages.push(figures.reduce((text, { id }, at) => text.replaceAll(`figure:${id}`, `figure:${at + 1}`), content))
  }
  await book.close()
  return { pages, figures }
}

export const readEpubFigures = async (parts: EpubParts): Promise<ReadFigures> =>
  readWithFigures(openEpub, await buildEpub(parts))

export const readPdfFigures = (bytes: Uint8Array): Promise<ReadFigures> => readWithFigures(openPdf, bytes)

/** A photograph with many colours, which depends on the seed. */
export function photograph(seed = 0, [width, height] = [160, 120]): Buffer {
  return testJpeg(width, height, (x, y) => [(x * 3 + seed * 40) % 256, (y * 2 + seed * 90) % 256, (x + y + seed) % 256])
}

export interface PngParts {
  width: number
  height: number
  /** Colour type and bits per sample (PNG, section 11.2.1). */
  kind: 0 | 2 | 3 | 4 | 6
  depth?: number
  /** Sample bytes of a row, without its filter. */
  row: (y: number) => Uint8Array
  /** The filter of each row. */
  filter?: number
  chunks?: [type: string, data: Uint8Array][]
  /** Replaces the compressed rows. */
  data?: Uint8Array
  interlaced?: boolean
}

/** Creates a PNG as described; rows are passed in their filtered form. */
export function testPng({ width, height, kind, depth = 8, row, filter = 0, chunks = [], data, interlaced }: PngParts) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, kind, 0, 0, interlaced ? 1 : 0], 8)
  const rows = () =>
    deflateSync(Buffer.concat(Array.from({ length: height }, (_, y) => Buffer.from([filter, ...row(y)]))))
  const all: [string, Uint8Array][] = [['IHDR', header], ...chunks, ['IDAT', data ?? rows()], ['IEND', Buffer.alloc(0)]]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...all.map(([type, bytes]) => chunk(type, bytes))])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8)
  return bytes
}

/** A picture of squares with alpha, as programs save diagrams. */
export function transparentPng(side = 96): Buffer {
  const row = (y: number) =>
    Uint8Array.from({ length: side * 4 }, (_, at) => {
      const ink = (at >> 6) % 2 === 0 && (y >> 4) % 2 === 0
      return (at & 3) === 3 ? (ink ? 255 : 0) : (at & 3) === 0 && ink ? 200 : 0
    })
  return testPng({ width: side, height: side, kind: 6, row })
}
