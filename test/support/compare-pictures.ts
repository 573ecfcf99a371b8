import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'

/** Set to `1` to store the actual pictures instead of comparing them. */
export const updateVariable = 'LECTERN_TEST_UPDATE_PICTURES'

export interface PictureTolerance {
  /** The share of pixels that may differ. Default: one in a thousand. */
  share?: number
  /** How much a pixel may differ before it counts, 0 to 1. Default: a tenth, to allow for anti-aliasing. */
  threshold?: number
}

export interface ComparedPicture {
  /** Number of differing pixels. */
  different: number
}

export interface ComparisonOptions extends PictureTolerance {
  /** Default: whether the environment requests it. */
  update?: boolean
  /** Where differences are written. Default: `differences` next to the stored picture, which git ignores. */
  diffFolder?: string
}

/**
 * Compares a PNG with the one stored at `file`. Throws if too many pixels differ, the sizes differ or none is stored,
 * and names the files with the actual picture (`*.seen.png`) and the differences (`*.diff.png`, in red). With
 * `LECTERN_TEST_UPDATE_PICTURES=1` it stores the picture instead.
 */
export async function comparePicture(
  seen: Buffer,
  file: string,
  options: ComparisonOptions = {},
): Promise<ComparedPicture> {
  const { share = 0.001, threshold = 0.1, update = process.env[updateVariable] === '1' } = options
  const diffFolder = options.diffFolder ?? join(dirname(file), 'differences')
  const written = (kind: string) => join(diffFolder, `${basename(file, '.png')}.${kind}.png`)
  await Promise.all(['seen', 'diff'].map((kind) => rm(written(kind), { force: true })))
  const stored = await readFile(file).catch(() => null)
  const fail = async (what: string, diff: PNG | null): Promise<never> => {
    await mkdir(diffFolder, { recursive: true })
    await writeFile(written('seen'), seen)
    if (diff) await writeFile(written('diff'), PNG.sync.write(diff))
    const where = diff ? ` Look at ${written('diff')}.` : ''
    throw new Error(
      `${file}: ${what}${where} What was seen is ${written('seen')}. Right? ${updateVariable}=1 stores it.`,
    )
  }
  if (update) return store(seen, { file, stored, threshold })
  if (!stored) return fail('no picture is stored.', null)
  const { a, b } = { a: PNG.sync.read(stored), b: PNG.sync.read(seen) }
  const { width, height } = a
  if (width !== b.width || height !== b.height)
    return fail(`${b.width} × ${b.height} pixels instead of ${width} × ${height}.`, null)
  const diff = new PNG({ width, height })
  const different = pixelmatch(a.data, b.data, diff.data, width, height, { threshold })
  const most = Math.floor(width * height * share)
  if (different > most) return fail(`${different} pixels differ, ${most} may.`, diff)
  return { different }
}

/** Stores a picture, unless the stored one looks the same, so that files change only for a reason. */
async function store(
  seen: Buffer,
  { file, stored, threshold }: { file: string; stored: Buffer | null; threshold: number },
): Promise<ComparedPicture> {
  if (!stored || !looksEqual(stored, seen, threshold)) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, compressed(seen))
  }
  return { different: 0 }
}

function looksEqual(a: Buffer, b: Buffer, threshold: number): boolean {
  const [one, other] = [PNG.sync.read(a), PNG.sync.read(b)]
  const { width, height } = one
  if (width !== other.width || height !== other.height) return false
  return pixelmatch(one.data, other.data, undefined, width, height, { threshold }) === 0
}

/** The smaller one of the picture and its version without transparency, with maximum compression. */
function compressed(seen: Buffer): Buffer {
  const again = PNG.sync.write(PNG.sync.read(seen), { colorType: 2, deflateLevel: 9, filterType: -1 })
  return again.length < seen.length ? again : seen
}

export interface ScreenshotOptions extends ComparisonOptions {
  /** Take the whole page instead of the window. */
  fullPage?: boolean
  /** Parts that differ each time, covered with a plain box. */
  cover?: readonly string[]
}

/** Takes a picture of a page, with loaded fonts and without animations, and compares it like `comparePicture`. */
export async function expectPicture(
  page: Page,
  file: string,
  { fullPage = false, cover = [], ...options }: ScreenshotOptions = {},
): Promise<ComparedPicture> {
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const seen = await page.screenshot({
    fullPage,
    animations: 'disabled',
    caret: 'hide',
    scale: 'css',
    mask: cover.map((selector) => page.locator(selector)),
    maskColor: '#808080',
  })
  return comparePicture(seen, file, options)
}
