import type { PageAnnotation } from './pdf-file.ts'

/** Limit on the annotations of a page. */
export const maxAnnotations = 1_000
/** Limit on the bounding boxes of an annotation. */
export const maxBoxes = 100
/** Annotation flags: hidden, and not shown on screen. */
export const hiddenFlags = 2 | 32
const maxUrlLength = 2_000

/** The web or mail address of a link, so that it can be used in Markdown; null for other links. */
export function toAddress(url: string): string | null {
  if (url.length > maxUrlLength || !/^(?:https?|mailto):/i.test(url)) return null
  return url
    .replace(/[\s()<>\\]/g, encodeURIComponent)
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
}

/**
 * The bounding box of points (x and y alternating) in page coordinates. `view` converts them to points from the top
 * left.
 */
export function boxAround(points: readonly number[], view: readonly number[]): PageAnnotation['boxes'][number] {
  const [a = 1, b = 0, c = 0, d = -1, e = 0, f = 0] = view
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [px = 0, py = 0] = [points[at], points[at + 1]]
    const [x, y] = [a * px + c * py + e, b * px + d * py + f]
    box.x0 = Math.min(box.x0, x)
    box.x1 = Math.max(box.x1, x)
    box.y0 = Math.min(box.y0, y)
    box.y1 = Math.max(box.y1, y)
  }
  return box
}
