import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { encodeFrame, FrameError, readFrames } from '../../../src/imports/extract/frames.ts'

const values = [{ n: 1 }, { text: 'Ωmega \u0000 \ud800 "quoted"' }, {}, { long: 'ab'.repeat(5_000) }]
const stream = Buffer.concat(values.map(encodeFrame))

async function decode(chunks: Iterable<Buffer>, maxBytes = 20_000): Promise<unknown[]> {
  const decoded: unknown[] = []
  for await (const value of readFrames(Readable.from(chunks), maxBytes)) decoded.push(value)
  return decoded
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('frames', () => {
  test.for([1, 2, 3, 4, 5, 7, 64, 4_096, stream.length])(
    'round-trip whatever the chunk size, here %i bytes',
    async (size) => {
      expect(await decode(pieces(stream, size))).toEqual(values)
    },
  )

  test('that the end of the stream truncates are dropped', async () => {
    const last = encodeFrame(values[3] ?? {}).length
    for (const cut of [1, 2, last - 4, last - 1]) {
      expect(await decode([stream.subarray(0, stream.length - cut)])).toEqual(values.slice(0, 3))
    }
  })

  test('may be exactly as long as allowed, but not longer', async () => {
    const length = encodeFrame({ long: 'x' }).length - 4
    expect(await decode([encodeFrame({ long: 'x' })], length)).toEqual([{ long: 'x' }])
    await expect(decode([encodeFrame({ long: 'x' })], length - 1)).rejects.toThrow(FrameError)
  })

  test('are refused by their declared length, before their bytes are buffered', async () => {
    let asked = 0
    const endless = function* () {
      yield Buffer.from([0xff, 0xff, 0xff, 0xff])
      for (;;) {
        asked += 1
        yield Buffer.alloc(65_536)
      }
    }
    await expect(decode(endless())).rejects.toThrow('4294967295 bytes')
    expect(asked).toBeLessThan(100)
  })

  test('that are not JSON are refused', async () => {
    await expect(decode([Buffer.from([0, 0, 0, 2, 0x7b, 0x7b])])).rejects.toThrow(FrameError)
  })

  test('are not read ahead of the consumer', async () => {
    let made = 0
    const source = function* () {
      for (let n = 0; n < 1_000; n += 1) {
        made += 1
        yield encodeFrame({ n })
      }
    }
    const frames = readFrames(Readable.from(source(), { objectMode: true, highWaterMark: 4 }), 1_000)
    expect((await frames.next()).value).toEqual({ n: 0 })
    for (let n = 0; n < 50; n += 1) await turn()
    expect(made).toBeLessThan(20)
  })
})
