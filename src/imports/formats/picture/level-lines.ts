import { ink, type GreyPicture } from './grey-picture.ts'

/** Maximum skew, degrees; steeper lines are intentional. */
const maxSkew = 7
/** Skews below this are harmless, degrees. */
const minSkew = 0.15
const maxPoints = 60_000

/** Deskews a page: rotates it by a few degrees so that its lines are level. */
export function levelLines(picture: GreyPicture): GreyPicture {
  const skew = findSkew(picture)
  return Math.abs(skew) < minSkew ? picture : rotate(picture, skew)
}

/**
 * The skew of a page, degrees: positive if its lines fall to the right. It is the angle at which rows of ink and paper
 * differ most.
 */
function findSkew(picture: GreyPicture): number {
  const points = inkPoints(picture)
  if (points.length < 500) return 0
  const best = (angles: readonly number[]) =>
    angles.map((angle) => ({ angle, score: rowContrast(points, angle) })).toSorted((a, b) => b.score - a.score)[0]
      ?.angle
  const coarse = best(steps(-maxSkew, maxSkew, 0.25)) ?? 0
  return best(steps(coarse - 0.2, coarse + 0.2, 0.05)) ?? 0
}

function steps(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => from + at * step)
}

interface Points {
  x: Float32Array
  y: Float32Array
  length: number
  /** Size of the picture and of its diagonal. */
  reach: number
}

/** Positions of ink, at most `maxPoints`. */
function inkPoints({ width, height, pixels }: GreyPicture): Points {
  let count = 0
  for (let at = 0; at < pixels.length; at++) if ((pixels[at] as number) < ink) count++
  const every = Math.max(1, Math.ceil(count / maxPoints))
  const points = { x: new Float32Array(maxPoints), y: new Float32Array(maxPoints), length: 0, reach: width + height }
  let seen = 0
  for (let at = 0; at < pixels.length; at++) {
    if ((pixels[at] as number) >= ink || seen++ % every !== 0) continue
    points.x[points.length] = at % width
    points.y[points.length] = Math.floor(at / width)
    points.length++
  }
  return points
}

/** Height of one row of the projection, pixels. */
const rowHeight = 3

function rowContrast({ x, y, length, reach }: Points, angle: number): number {
  const slope = Math.tan((angle * Math.PI) / 180)
  const sums = new Uint32Array(Math.ceil((2 * reach) / rowHeight) + 2)
  for (let at = 0; at < length; at++) {
    const row = ((y[at] as number) - (x[at] as number) * slope + reach / 2) / rowHeight
    const index = Math.max(0, Math.floor(row))
    sums[index] = (sums[index] as number) + 1
  }
  let contrast = 0
  for (let at = 1; at < sums.length; at++) contrast += ((sums[at] as number) - (sums[at - 1] as number)) ** 2
  return contrast
}

/** Rotates the picture around its centre so that lines that fall by `degrees` become level; fills with white. */
function rotate({ width, height, pixels }: GreyPicture, degrees: number): GreyPicture {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
  const rotated = new Uint8Array(pixels.length).fill(255)
  for (let y = 0, at = 0; y < height; y++) {
    let fromX = (-width / 2) * cos - (y - height / 2) * sin + width / 2
    let fromY = (-width / 2) * sin + (y - height / 2) * cos + height / 2
    for (let x = 0; x < width; x++, at++, fromX += cos, fromY += sin) {
      if (fromX < 0 || fromY < 0 || fromX >= width - 1 || fromY >= height - 1) continue
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)]
      const [right, down] = [fromX - left, fromY - top]
      const from = top * width + left
      const upper = (pixels[from] as number) * (1 - right) + (pixels[from + 1] as number) * right
      const lower = (pixels[from + width] as number) * (1 - right) + (pixels[from + width + 1] as number) * right
      rotated[at] = upper * (1 - down) + lower * down
    }
  }
  return { width, height, pixels: rotated }
}
