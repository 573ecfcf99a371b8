import { deflateSync } from 'node:zlib'
import { afterAll, onTestFinished } from 'vitest'
import { createPageRenderer } from '../../src/imports/extract/create-page-renderer.ts'
import type {
  PageRendererOptions,
  DrawingJob,
  PageRenderer,
  DrawnPicture,
} from '../../src/imports/extract/page-renderer.ts'
import type { ExtractionError } from '../../src/imports/extract/extraction-error.ts'
import { encodeJpeg } from '../../src/imports/formats/picture/encode-jpeg.ts'
import { readerCode } from './reader-code.ts'

export interface TestRenderer {
  renderer: PageRenderer
  /** Number of times that each file was read, by name. */
  readings: Map<string, number>
  draw(bytes: Uint8Array, change?: Partial<DrawingJob> & { name?: string }): Promise<DrawnPicture>
}

/** A page renderer that is closed after the test. */
export function testRenderer(options: PageRendererOptions = {}): TestRenderer {
  const made = makeRenderer(options)
  onTestFinished(() => made.renderer.close())
  return made
}

/** A page renderer that the tests of a file or a `describe` share. */
export function useTestRenderer(): () => TestRenderer {
  let made: TestRenderer | null = null
  afterAll(() => made?.renderer.close())
  return () => (made ??= makeRenderer({}))
}

function makeRenderer(options: PageRendererOptions): TestRenderer {
  const renderer = createPageRenderer({ timeoutMs: 60_000, codeCache: readerCode, ...options })
  const readings = new Map<string, number>()
  const job = { accountId: 'owner', sourceType: 'pdf', page: 1, width: 600 } as const
  return {
    renderer,
    readings,
    draw(bytes, { name = 'file', ...change } = {}) {
      async function* read() {
        readings.set(name, (readings.get(name) ?? 0) + 1)
        for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000)
      }
      return renderer.draw({ ...job, file: { name, bytes: bytes.length, read }, ...change })
    },
  }
}

/** The error code of a drawing, or `ok`. */
export function drawingOutcome(drawing: Promise<unknown>): Promise<string> {
  return drawing.then(
    () => 'ok',
    (error: ExtractionError) => error.code ?? `not an extraction error: ${error.stack}`,
  )
}

/** A content stream with a black square of 100 points in the lower left corner. */
export const blackSquare = '0 g 0 0 100 100 re f'

/** A JPEG with pixel colours from `colourAt`. */
export function testJpeg(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [number, number, number] = (x, y) => [x % 256, y % 256, 90],
): Buffer {
  return encodeJpeg({ width, height, rgba: paint(width, height, colourAt) }, { quality: 90, grey: false })
}

/** Pixels as red, green, blue and 255. */
export function paint(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [number, number, number],
): Uint8Array {
  const rgba = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) rgba.set([...colourAt(at % width, Math.floor(at / width)), 255], at * 4)
  return rgba
}

/** An image object for a PDF with these dimensions, whose data unpacks to this many zero bytes. */
export function zeroImage(width: number, height: number, bytes: number): Buffer {
  const data = deflateSync(Buffer.alloc(bytes))
  const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`
  const head = `<< ${entries} /Filter /FlateDecode /Length ${data.length} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream')])
}
