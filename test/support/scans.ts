import { openDrawablePdf } from '../../src/imports/formats/pdf/draw-pages.ts'
import { encodeJpeg, type Pixels } from '../../src/imports/formats/picture/encode-jpeg.ts'
import { toGrey } from '../../src/imports/formats/picture/prepare-scan.ts'

/** Damage to a page by a copier and a scanner. */
export type Damage = 'copied' | 'turned' | 'skewed' | 'noisy' | 'bound'
export const damages = ['copied', 'turned', 'skewed', 'noisy'] as const satisfies Damage[]
/** Kinds of damage that were not used for tuning: a page of a thick book, in a small file. */
export const otherDamages = ['bound'] as const satisfies Damage[]

/** The damage of a page; deterministic for a `seed`. */
export interface Scan {
  damage: Damage
  seed: number
}

/** 300 dots per inch of A4; a copier has 200. */
const scanners: Record<Damage, { width: number; quality: number }> = {
  copied: { width: 1654, quality: 50 },
  turned: { width: 2480, quality: 75 },
  skewed: { width: 2480, quality: 75 },
  noisy: { width: 2480, quality: 75 },
  bound: { width: 1654, quality: 30 },
}

interface Photograph {
  width: number
  height: number
  jpeg: Buffer
  /** Its size on paper: points per pixel. */
  scale: number
}

interface ScannedPage extends Scan {
  /** From 1. */
  page: number
  /** True to scan a page in its size; otherwise it is enlarged or reduced so that its shorter side is that of A4. */
  isTrueSize?: boolean
}

/** The shorter side of A4, points. */
const paperWidth = 595

/** A PDF of pictures of pages of another PDF, each damaged: like a scan, without any text. */
export async function scanPdf(bytes: Uint8Array, pages: readonly ScannedPage[]): Promise<Uint8Array> {
  const pdf = await openDrawablePdf(bytes)
  try {
    const photographs: Photograph[] = []
    for (const { page, isTrueSize = false, ...scan } of pages) {
      const { width, quality } = scanners[scan.damage]
      const wanted = isTrueSize ? Math.round((width * pdf.size(page).width) / paperWidth) : width
      const pixels = damagePage(await pdf.draw(page, wanted), scan)
      const scale = paperWidth / (isTrueSize ? width : Math.min(pixels.width, pixels.height))
      photographs.push({ ...photograph(pixels, quality), scale })
    }
    return pdfOfPictures(photographs)
  } finally {
    pdf.close()
  }
}

function photograph(pixels: Pixels, quality: number): Omit<Photograph, 'scale'> {
  return { width: pixels.width, height: pixels.height, jpeg: encodeJpeg(pixels, { quality, grey: true }) }
}

/** The page as the scanner records it: the brightness of its colours. */
export function damagePage(colours: Pixels, { damage, seed }: Scan): Pixels {
  const page = brightnessOf(colours)
  const random = randomNumbers(seed)
  switch (damage) {
    case 'copied':
      return eachPixel(blur(page), (value) => 40 + value * 0.75 + (random() - 0.5) * 16)
    case 'turned':
      return turn(page, (1 + (seed % 3)) as 1 | 2 | 3)
    case 'skewed':
      return skew(page, (seed % 2 === 0 ? 1 : -1) * (0.8 + random() * 2.2))
    case 'noisy':
      return addNoise(page, random)
    case 'bound':
      return bind(page, seed % 2 === 0)
  }
}

/** A deterministic generator of pseudorandom numbers from 0 to 1 (xorshift). */
function randomNumbers(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
}

function brightnessOf(colours: Pixels): Pixels {
  const { width, height, pixels } = toGrey(colours)
  const grey = new Uint32Array(pixels.length)
  for (let at = 0; at < pixels.length; at++) grey[at] = opaqueGrey(pixels[at] as number)
  return { width, height, rgba: new Uint8Array(grey.buffer) }
}

/** The four bytes of a grey pixel as one little-endian number. */
function opaqueGrey(value: number): number {
  return 0xff000000 | (value << 16) | (value << 8) | value
}

function eachPixel({ width, height, rgba }: Pixels, change: (value: number, x: number, y: number) => number): Pixels {
  const changed = new Uint32Array(width * height)
  for (let at = 0, y = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const value = Math.max(0, Math.min(255, Math.round(change(rgba[at * 4 + 1] as number, x, y))))
      changed[at] = opaqueGrey(value)
    }
  return { width, height, rgba: new Uint8Array(changed.buffer) }
}

/** Averages each pixel with its neighbours. */
function blur(page: Pixels): Pixels {
  const { width, height, rgba } = page
  const at = (x: number, y: number) =>
    rgba[(Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x))) * 4 + 1] as number
  return eachPixel(page, (value, x, y) => (4 * value + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 8)
}

/** Adds grain, specks of dust, and paper that darkens towards one corner. */
function addNoise(page: Pixels, random: () => number): Pixels {
  const { width, height } = page
  return eachPixel(page, (value, x, y) => {
    const chance = random()
    if (chance < 0.004) return 0
    if (chance < 0.008) return 255
    const grain = (random() + random() + random() - 1.5) * 50
    return value * (1 - 0.35 * ((x / width + y / height) / 2)) + grain
  })
}

/** Adds the shadow of the fold at one side, and the print of the reverse side shining through. */
function bind(page: Pixels, isFoldLeft: boolean): Pixels {
  const { width, rgba } = page
  return eachPixel(page, (value, x, y) => {
    const fromFold = (isFoldLeft ? x : width - x) / width
    const behind = rgba[(y * width + (width - 1 - x)) * 4 + 1] as number
    return (value - 0.12 * (255 - behind)) * (1 - 0.6 * Math.exp(-fromFold / 0.07))
  })
}

/** Rotates by quarter turns clockwise. */
function turn({ width, height, rgba }: Pixels, quarters: 1 | 2 | 3): Pixels {
  const size = quarters === 2 ? { width, height } : { width: height, height: width }
  const from = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height)
  const to = new Uint32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] =
        quarters === 1 ? [height - 1 - y, x] : quarters === 2 ? [width - 1 - x, height - 1 - y] : [y, width - 1 - x]
      to[row * size.width + column] = from[y * width + x] as number
    }
  return { ...size, rgba: new Uint8Array(to.buffer) }
}

function skew(page: Pixels, degrees: number): Pixels {
  const { width, height, rgba } = page
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
  const value = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? 255 : (rgba[(y * width + x) * 4 + 1] as number)
  return eachPixel(page, (_, x, y) => {
    const fromX = (x - width / 2) * cos - (y - height / 2) * sin + width / 2
    const fromY = (x - width / 2) * sin + (y - height / 2) * cos + height / 2
    const [left, top] = [Math.floor(fromX), Math.floor(fromY)]
    const [right, down] = [fromX - left, fromY - top]
    const upper = value(left, top) * (1 - right) + value(left + 1, top) * right
    const lower = value(left, top + 1) * (1 - right) + value(left + 1, top + 1) * right
    return upper * (1 - down) + lower * down
  })
}

/** A PDF with each picture on a separate page. */
function pdfOfPictures(pictures: readonly Photograph[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  const add = (...object: (string | Buffer)[]) => {
    offsets.push(parts.reduce((sum, { length }) => sum + length, 0))
    parts.push(
      Buffer.from(`${offsets.length} 0 obj\n`),
      ...object.map((part) => Buffer.from(part)),
      Buffer.from('\nendobj\n'),
    )
  }
  add('<< /Type /Catalog /Pages 2 0 R >>')
  const kids = pictures.map((_, at) => `${3 + at * 3} 0 R`).join(' ')
  add(`<< /Type /Pages /Count ${pictures.length} /Kids [${kids}] >>`)
  for (const [at, { width, height, jpeg, scale }] of pictures.entries()) {
    const box = [width * scale, height * scale]
    const content = `q ${box[0]} 0 0 ${box[1]} 0 0 cm /I Do Q`
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box.join(' ')}] /Contents ${4 + at * 3} 0 R /Resources << /XObject << /I ${5 + at * 3} 0 R >> >> >>`,
    )
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`
    add(`<< ${entries} /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`, jpeg, '\nendstream')
  }
  const start = parts.reduce((sum, { length }) => sum + length, 0)
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(Buffer.from(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows}`))
  parts.push(Buffer.from(`trailer << /Size ${offsets.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`))
  return Buffer.concat(parts)
}
