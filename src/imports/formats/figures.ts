import { describeFigure, formatFigureMarker } from '../../text/figure-markers.ts'
import type { EncodedPicture } from './picture/encode-picture.ts'

/** A figure of a book as it is kept. */
export interface Figure extends EncodedPicture {
  /** The begin of the SHA-256 of its bytes, so that equal figures are one. */
  id: string
}

/** Takes the figures of a book while it is read. Resolves when it is ready for the next one. */
export type KeepFigure = (figure: Figure) => Promise<void>

/** The bounds of the figures of one book; further ones are described in words. */
export const figureLimits = {
  /** Different figures. */
  figures: 1000,
  /** Bytes of one. */
  figureBytes: 1024 * 1024,
  /** Bytes of all of them. */
  bytes: 64 * 1024 * 1024,
  /** Markers; a figure that stands at many places has one at each. */
  markers: 5000,
  /** Pictures that are looked at, kept or not. */
  attempts: 4000,
}

/** A picture that a book shows more often than this is an ornament. */
export const maxRepeats = 3

/** The figures of a book, within the limits. */
export interface FigureCollection {
  /**
   * What replaces a picture in the text: the marker of a stored figure, its description in words, or nothing. `source` tells
   * it from other pictures of the file; `make` is called once for each source.
   */
  textFor(picture: { source: string; caption: string }, make: () => Promise<Figure | null>): Promise<string>
}

/** Collects the figures of a book; each different one goes to `keep` before the first marker that names it. */
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
