import { describeFigure, replaceFigureMarkers } from '../../text/figure-markers.ts'
import { figureLimits } from '../formats/figures.ts'
import { figureIdOfBytes } from '../formats/picture/figure-id.ts'
import { sniffPicture } from '../formats/picture/sniff-picture.ts'
import { ExtractionError } from './extraction-error.ts'
import type { FigureCounts, ReceivedFigure } from './extractor.ts'

/** Validates the figures of an untrusted reading process. */
export interface FigureIntake {
  readonly counts: FigureCounts
  /** Passes a new figure on. Throws CRASHED if it is not a picture of a known type, or exceeds the limits. */
  take(data: string): Promise<void>
  /** Keeps only the markers of known figures in a text; describes other figures in words. */
  withKnownOnly(text: string): string
}

/** Maximum side of a figure, in pixels. */
const maxSide = 4096

export function createFigureIntake(pass: (figure: ReceivedFigure) => Promise<void> | undefined): FigureIntake {
  const known = new Set<string>()
  const counts: FigureCounts = { count: 0, bytes: 0 }
  return {
    counts,
    async take(data) {
      const bytes = Buffer.from(data, 'base64')
      const header = sniffPicture(bytes)
      if (!header || Math.max(header.width, header.height) > maxSide)
        throw new ExtractionError('CRASHED', 'the process did not send a picture as a figure')
      const id = figureIdOfBytes(bytes)
      if (known.has(id)) return
      known.add(id)
      counts.count += 1
      counts.bytes += bytes.length
      if (counts.count > figureLimits.figures || counts.bytes > figureLimits.bytes)
        throw new ExtractionError('CRASHED', 'more figures than the limits allow')
      await pass({ id, mediaType: header.mediaType, bytes })
    },
    withKnownOnly: (text) =>
      replaceFigureMarkers(text, ({ id, caption }, written) => (known.has(id) ? written : describeFigure(caption))),
  }
}
