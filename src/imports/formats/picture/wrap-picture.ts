import { readPngChunks } from './png-chunks.ts'
import type { PictureHeader } from './sniff-picture.ts'

/**
 * Wraps a picture in a one-page PDF, so that the engine that draws pages decodes and scales it. Null for types that PDF
 * does not support: GIF, WebP, and PNG with transparency or interlacing.
 */
export function wrapPicture(bytes: Uint8Array, header: PictureHeader): Uint8Array | null {
  const image = header.mediaType === 'image/jpeg' ? jpegImage(bytes) : pngImage(bytes, header)
  if (!image) return null
  const { width, height } = header
  const content = `q ${width} 0 0 ${height} 0 0 cm /I Do Q`
  const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${image.entries}`
  return assemble([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`,
    ),
    stream('', Buffer.from(content)),
    stream(entries, image.data),
  ])
}

interface Image {
  /** The entries of the picture's dictionary other than its size. */
  entries: string
  data: Uint8Array
}

const colourSpaces: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' }

function jpegImage(bytes: Uint8Array): Image | null {
  const components = jpegComponents(bytes)
  const space = colourSpaces[components]
  if (space === undefined) return null
  // Programs that write four components invert them.
  const decode = components === 4 ? '/Decode [1 0 1 0 1 0 1 0]' : ''
  return { entries: `/ColorSpace ${space} /BitsPerComponent 8 /Filter /DCTDecode ${decode}`, data: bytes }
}

function jpegComponents(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at + 10 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff && at + 10 < view.byteLength) at++
    const marker = view.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xc2) return view.getUint8(at + 9)
    if (marker === 0xda) return 0
  }
  return 0
}

const pngGrey = 0
const pngColour = 2
const pngPalette = 3
const headerAt = 16

function pngImage(bytes: Uint8Array, { mediaType, width }: PictureHeader): Image | null {
  if (mediaType !== 'image/png') return null
  const [depth = 0, kind = 0, , , interlaced = 0] = bytes.subarray(headerAt + 8, headerAt + 13)
  const chunks = readPngChunks(bytes)
  if (interlaced !== 0 || chunks.has('tRNS') || ![pngGrey, pngColour, pngPalette].includes(kind)) return null
  const palette = Buffer.concat(chunks.get('PLTE') ?? [])
  const indexed = `[/Indexed /DeviceRGB ${palette.length / 3 - 1} <${palette.toString('hex')}>]`
  const space = kind === pngPalette ? indexed : kind === pngColour ? '/DeviceRGB' : '/DeviceGray'
  const colours = kind === pngColour ? 3 : 1
  const rows = `/DecodeParms << /Predictor 15 /Colors ${colours} /BitsPerComponent ${depth} /Columns ${width} >>`
  return {
    entries: `/ColorSpace ${space} /BitsPerComponent ${depth} /Filter /FlateDecode ${rows}`,
    data: Buffer.concat(chunks.get('IDAT') ?? []),
  }
}

function stream(entries: string, data: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}

function assemble(objects: readonly Buffer[]): Uint8Array {
  const parts = [Buffer.from('%PDF-1.7\n')]
  const offsets: string[] = []
  let length = parts[0]?.length ?? 0
  for (const [at, object] of objects.entries()) {
    offsets.push(`${String(length).padStart(10, '0')} 00000 n \n`)
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    parts.push(part)
    length += part.length
  }
  const count = objects.length + 1
  const xref = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}`
  parts.push(Buffer.from(`${xref}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`))
  return Buffer.concat(parts)
}
