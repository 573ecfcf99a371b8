import { describeFigure, formatFigureMarker } from '../../text/figure-markers.ts'
import type { EncodedPicture } from './picture/encode-picture.ts'

/** A stored figure of a book. */
export interface Figure extends EncodedPicture {
  /** The start of the SHA-256 of its bytes, so that equal figures share one id. */
  id: string
}

/** Receives the figures of a book during reading. Resolves when it is ready for the next one. */
export type KeepFigure = (figure: Figure) => Promise<void>

/** The limits for figures of one book; further ones are described in words. */
export const figureLimits = {
  /** Number of distinct figures. */
  figures: 1000,
  /** Size of one figure in bytes. */
  figureBytes: 1024 * 1024,
  /** Size of all figures in bytes. */
  bytes: 64 * 1024 * 1024,
  /** Number of markers; a figure that occurs several times has one for each occurrence. */
  markers: 5000,
  /** Number of pictures that are examined, kept or not. */
  attempts: 4000,
}

/** A picture that occurs more often than this in a book is an ornament. */
export const maxRepeats = 3

/** The figures of a book, within the limits. */
export interface FigureCollection {
  /**
   * The text that replaces a picture: the marker of a stored figure, its description in words, or nothing. `source`
   * identifies the picture within the file; `make` is called once for each source.
   */
  textFor(picture: { source: string; caption: string }, make: () => Promise<Figure | null>): Promise<string>
}

/** Collects the figures of a book; passes each distinct one to `keep` before the first marker that refers to it. */
export function collectFigures(keep: KeepFigure): FigureCollection {
  const idOf = new Map<string, string | null>()
  const kept = new Set<string>()
  const uses = new Map<string, number>()
  let [bytes, markers] = [0, 0]
  const take = async (make: () => Promise<Figure | null>): Promise<string | null> => {
    const figure = await make().catch(() => null)
    if (!figure) return null
    if (kept.has(figure.id)) return figure.id
    if (kept.size >= figureLimits.figures || bytes + figure.bytes.length > figureLimits.bytes) return null
    kept.add(figure.id)
    bytes += figure.bytes.length
    await keep(figure)
    return figure.id
  }
  return {
    async textFor({ source, caption }, make) {
      let id = idOf.get(source)
      if (id === undefined) {
        id = idOf.size < figureLimits.attempts && markers < figureLimits.markers ? await take(make) : null
        if (idOf.size < figureLimits.attempts) idOf.set(source, id)
      }
      const count = (uses.get(source) ?? 0) + 1
      if (id !== null) uses.set(source, count)
      if (id === null || markers >= figureLimits.markers || count > maxRepeats) return describeFigure(caption)
      markers += 1
      return formatFigureMarker({ id, caption })
    },
  }
}
