import type { GreyPicture } from './grey-picture.ts'

/** A rectangle in a picture, pixels; `right` and `bottom` are exclusive. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** A connected component of ink (8-connectivity). */
export interface InkComponent extends Box {
  /** Number of ink pixels. */
  area: number
  /** The brightness of its darkest pixel. */
  darkest: number
}

/** Maximum number of ink runs of a page; a page of small letters has a tenth. More is a texture. */
const maxRuns = 2_000_000

/**
 * All connected components of ink darker than `below`; null if the picture has too much ink for letters. Visits each
 * pixel once.
 */
export function findInkComponents(picture: GreyPicture, below: number): InkComponent[] | null {
  const runs = findRuns(picture, below)
  if (!runs) return null
  const parents = joinRuns(picture.height, runs)
  const components = new Map<number, InkComponent>()
  for (let run = 0, y = 0; run < runs.count; run++) {
    while (run >= (runs.rowStarts[y + 1] as number)) y++
    const root = rootOf(parents, run)
    const [left, right] = [runs.starts[run] as number, runs.ends[run] as number]
    const darkest = runs.darkest[run] as number
    const component = components.get(root)
    if (component) {
      component.left = Math.min(component.left, left)
      component.right = Math.max(component.right, right)
      component.bottom = y + 1
      component.area += right - left
      component.darkest = Math.min(component.darkest, darkest)
    } else components.set(root, { left, right, top: y, bottom: y + 1, area: right - left, darkest })
  }
  return [...components.values()]
}

/** The ink runs of each row, from left to right; row `y` has those from `rowStarts[y]` to `rowStarts[y + 1]`. */
interface Runs {
  count: number
  rowStarts: Uint32Array
  starts: Uint16Array
  ends: Uint16Array
  darkest: Uint8Array
}

function findRuns({ width, height, pixels }: GreyPicture, below: number): Runs | null {
  const capacity = countRuns({ width, height, pixels }, below)
  if (capacity > maxRuns) return null
  const [starts, ends, darkest] = [new Uint16Array(capacity), new Uint16Array(capacity), new Uint8Array(capacity)]
  const rowStarts = new Uint32Array(height + 1)
  let count = 0
  for (let y = 0, at = 0; y < height; y++) {
    rowStarts[y] = count
    let inInk = false
    for (let x = 0; x < width; x++, at++) {
      const value = pixels[at] as number
      if (value < below) {
        if (!inInk) {
          starts[count] = x
          darkest[count] = value
        } else if (value < (darkest[count] as number)) darkest[count] = value
        inInk = true
      } else if (inInk) {
        ends[count++] = x
        inInk = false
      }
    }
    if (inInk) ends[count++] = width
  }
  rowStarts[height] = count
  return { count, rowStarts, starts, ends, darkest }
}

function countRuns({ width, pixels }: GreyPicture, below: number): number {
  let count = 0
  for (let at = 0; at < pixels.length; at++) {
    if ((pixels[at] as number) < below && (at % width === 0 || (pixels[at - 1] as number) >= below)) count++
  }
  return count
}

/** The union-find forest of adjoining runs: the parent of each run; a root is its own parent. */
function joinRuns(height: number, { count, rowStarts, starts, ends }: Runs): Uint32Array {
  const parents = Uint32Array.from({ length: count }, (_, run) => run)
  for (let y = 1; y < height; y++) {
    let above = rowStarts[y - 1] as number
    const lastAbove = rowStarts[y] as number
    for (let run = lastAbove; run < (rowStarts[y + 1] as number); run++) {
      while (above < lastAbove && (ends[above] as number) < (starts[run] as number)) above++
      for (let next = above; next < lastAbove && (starts[next] as number) <= (ends[run] as number); next++) {
        const [a, b] = [rootOf(parents, next), rootOf(parents, run)]
        parents[Math.max(a, b)] = Math.min(a, b)
      }
    }
  }
  return parents
}

function rootOf(parents: Uint32Array, run: number): number {
  let root = run
  while (parents[root] !== root) {
    // Path halving.
    parents[root] = parents[parents[root] as number] as number
    root = parents[root] as number
  }
  return root
}
