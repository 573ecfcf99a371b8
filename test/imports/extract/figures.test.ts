import { describe, expect, test } from 'vitest'
import type { ReceivedFigure } from '../../../src/imports/extract/extractor.ts'
import { figureLimits } from '../../../src/imports/formats/figures.ts'
import { figureIdOfBytes } from '../../../src/imports/formats/picture/figure-id.ts'
import { extractionOutcome, scriptedExtractor } from '../../support/extraction.ts'
import { photograph } from '../../support/figures.ts'

const frame = (bytes: Uint8Array) =>
  ({ do: 'raw frame', json: JSON.stringify({ type: 'figure', data: Buffer.from(bytes).toString('base64') }) }) as const
const marker = (id: string) => `![A boat](figure:${id})`

describe('figures reported by a reading process', () => {
  test('are passed on once, named by their bytes; a marker without a figure becomes text', async () => {
    const { read } = await scriptedExtractor()
    const [one, other] = [photograph(1), photograph(2)]
    const figures: ReceivedFigure[] = []
    const content = `a ${marker(figureIdOfBytes(one))} b ${marker(figureIdOfBytes(other))} c`
    const { pages, figures: counts } = await read(
      { steps: [frame(one), frame(one), { do: 'pages', count: 1, content }] },
      { onFigure: async (figure) => void figures.push(figure) },
    )
    expect(figures.map(({ id, mediaType }) => [id, mediaType])).toEqual([[figureIdOfBytes(one), 'image/jpeg']])
    expect(pages[0]?.content).toBe(`a ${marker(figureIdOfBytes(one))} b [Image: A boat] c`)
    expect(counts).toEqual({ count: 1, bytes: one.length })
  })

  test.for([
    ['a drawing in SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a page of HTML', Buffer.from('<html><script>alert(1)</script></html>')],
    ['more than a figure may have', Buffer.concat([photograph(1), Buffer.alloc(figureLimits.figureBytes)])],
  ] as const)('%s ends the extraction', async ([, bytes]) => {
    const { read } = await scriptedExtractor()
    const kept: ReceivedFigure[] = []
    const reading = read(
      { steps: [{ do: 'pages', count: 1 }, frame(bytes)] },
      { onFigure: async (figure) => void kept.push(figure) },
    )
    expect(await extractionOutcome(reading)).toBe('CRASHED')
    expect(kept).toEqual([])
  })

  test('that were not requested are ignored', async () => {
    const { read } = await scriptedExtractor()
    expect(await extractionOutcome(read({ steps: [{ do: 'pages', count: 1 }, frame(photograph(1))] }))).toBe('CRASHED')
  })
})
