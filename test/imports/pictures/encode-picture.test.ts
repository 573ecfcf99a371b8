import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { encodeJpeg } from '../../../src/imports/formats/picture/encode-jpeg.ts'
import { encodePicture } from '../../../src/imports/formats/picture/encode-picture.ts'
import { openDrawablePdf } from '../../../src/imports/formats/pdf/draw-pages.ts'
import { sniffPicture } from '../../../src/imports/formats/picture/sniff-picture.ts'
import { wrapPicture } from '../../../src/imports/formats/picture/wrap-picture.ts'
import { paint } from '../../support/drawing.ts'

const [width, height] = [101, 67]
const white = [255, 255, 255] as const

/** The largest difference between the channels of two pictures of the same size. */
function difference(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length)
  return a.reduce((most, value, at) => (at % 4 === 3 ? most : Math.max(most, Math.abs(value - Number(b[at])))), 0)
}

/** Decodes a picture in its original size, with the engine that draws pages. */
async function decode(bytes: Uint8Array, decodedWidth = width): Promise<Uint8Array> {
  const header = sniffPicture(bytes)
  const pdf = await openDrawablePdf(wrapPicture(bytes, header as never) as Uint8Array)
  return (await pdf.draw(1, decodedWidth)).rgba
}

test('text becomes a PNG of 16 greys that every decoder reads', () => {
  const rgba = paint(width, height, (x, y) => (y % 10 < 2 ? [x, x, x] : white))
  const { mediaType, bytes } = encodePicture({ width, height, rgba })
  expect([mediaType, sniffPicture(bytes)]).toEqual(['image/png', { mediaType: 'image/png', width, height }])
  const decoded = PNG.sync.read(Buffer.from(bytes))
  expect([decoded.width, decoded.height]).toEqual([width, height])
  expect(difference(decoded.data, rgba)).toBeLessThanOrEqual(9)
})

test('text with some colours becomes a PNG of those colours', () => {
  const rgba = paint(width, height, (x, y) => (y % 10 > 1 ? white : x < 50 ? [0, 0, 0] : [204, 0, 34]))
  const { mediaType, bytes } = encodePicture({ width, height, rgba })
  expect(mediaType).toBe('image/png')
  expect(difference(PNG.sync.read(Buffer.from(bytes)).data, rgba)).toBe(0)
})

test('a photograph becomes a JPEG, coloured or grey, and a much smaller one than its pixels', async () => {
  const coloured = paint(width, height, (x, y) => [100 + x, 40 + 2 * y, 250 - x - y])
  const grey = paint(width, height, (x, y) => [60 + x + y, 60 + x + y, 60 + x + y])
  for (const rgba of [coloured, grey]) {
    const { mediaType, bytes } = encodePicture({ width, height, rgba })
    expect(mediaType).toBe('image/jpeg')
    expect(bytes.length).toBeLessThan(rgba.length / 5)
    expect(difference(await decode(bytes), rgba)).toBeLessThan(16)
  }
})

test.for([
  [8, 8],
  [1, 1],
  [17, 5],
  [16, 33],
])('a JPEG of %i × %i pixels decodes to what was encoded', async ([w = 0, h = 0]) => {
  const rgba = paint(w, h, (x, y) => [200 - 4 * x, 60 + 3 * y, 120])
  expect(
    difference(await decode(encodeJpeg({ width: w, height: h, rgba }, { quality: 95, grey: false }), w), rgba),
  ).toBeLessThan(12)
})

test('noise, the hardest picture, decodes too', async () => {
  let seed = 7
  const noise = () => (seed = (seed * 48271) % 2147483647) % 256
  const rgba = paint(64, 64, () => {
    const value = noise()
    return [value, value, value]
  })
  const decoded = await decode(encodeJpeg({ width: 64, height: 64, rgba }, { quality: 100, grey: true }), 64)
  expect(difference(decoded, rgba)).toBeLessThan(8)
})

test('the kind and size of a picture are read from its bytes', () => {
  const bytesOf = (hex: string) => Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(40)])
  expect(sniffPicture(bytesOf('474946383961 2c01 c800'))).toEqual({ mediaType: 'image/gif', width: 300, height: 200 })
  const webp = '52494646 00000000 57454250'
  expect(sniffPicture(bytesOf(`${webp} 56503820 00000000 000000 9d012a 2c01 c800`))).toEqual({
    mediaType: 'image/webp',
    width: 300,
    height: 200,
  })
  expect(sniffPicture(bytesOf(`${webp} 56503858 0a000000 00000000 2b0100 c70000`))).toEqual({
    mediaType: 'image/webp',
    width: 300,
    height: 200,
  })
  expect(sniffPicture(bytesOf(`${webp} 5650384c 00000000 2f 2bc13100`))).toEqual({
    mediaType: 'image/webp',
    width: 300,
    height: 200,
  })
})

test.for([
  ['nothing', Buffer.alloc(0)],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'.padEnd(100))],
  ['the beginning of a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['a JPEG without a frame', Buffer.from('ffd8ffd9'.padEnd(80, '0'), 'hex')],
  ['a GIF without a width', Buffer.from('474946383961 0000 c800'.replaceAll(' ', '').padEnd(80, '0'), 'hex')],
] as const)('%s is not a picture', ([, bytes]) => {
  expect(sniffPicture(bytes)).toBeNull()
})
