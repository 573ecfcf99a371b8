import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { toArray, readBytes, randomFile, streamOf } from '../files/bytes.ts'
import { s3, stores, useStore, s3SkipReason } from '../files/open-stores.ts'

const pdf = { contentType: 'application/pdf', maxBytes: 50_000_000 }

if (!s3) test('a file store on S3', ({ skip }) => skip(s3SkipReason))

describe.for(stores)('storing on %s', ([, open]) => {
  const use = useStore(open)
  const key = use.uniqueKey

  test.for([0, 1, 65_536, 1_000_003, 20_000_000])('returns %i bytes unchanged', async (length) => {
    const { bytes, sha256 } = randomFile(length)
    const name = key(`stored/${length}`)
    expect(await use.store.put(name, streamOf(bytes), pdf)).toEqual({ bytes: length, sha256 })
    expect(await use.store.head(name)).toEqual({ bytes: length })
    expect((await readBytes(use.store.read(name))).equals(bytes)).toBe(true)
  })

  test('refuses an existing key and keeps its file', async () => {
    const first = randomFile(10_000)
    await use.store.put(key('taken'), streamOf(first.bytes), pdf)
    await expect(use.store.put(key('taken'), streamOf(randomFile(10_000).bytes), pdf)).rejects.toMatchObject({
      code: 'EXISTS',
    })
    expect((await readBytes(use.store.read(key('taken')))).equals(first.bytes)).toBe(true)
  })

  test('accepts exactly the maximum size and not a byte more', async () => {
    const { bytes } = randomFile(100_001)
    const limit = { ...pdf, maxBytes: 100_000 }
    await use.store.put(key('limit'), streamOf(bytes.subarray(1)), limit)
    await expect(use.store.put(key('over'), streamOf(bytes), limit)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(await use.store.head(key('over'))).toBeNull()
  })

  test('leaves nothing behind if the body fails, and rethrows its error', async () => {
    const failure = new Error('the client went away')
    await expect(use.store.put(key('broken'), streamOf(randomFile(200_000).bytes, failure), pdf)).rejects.toBe(failure)
    expect(await use.store.head(key('broken'))).toBeNull()
  })
})

describe.for(stores)('reading on %s', ([, open]) => {
  const use = useStore(open)
  const key = use.uniqueKey

  test('a missing file is NOT_FOUND, and null for head', async () => {
    expect(await use.store.head(key('missing'))).toBeNull()
    await expect(use.store.peek(key('missing'), 4)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(readBytes(use.store.read(key('missing')))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(use.store.checkout(key('missing'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test.for([
    [1000, 16, 16],
    [5, 16, 5],
    [0, 16, 0],
  ] as const)('of %i bytes, a peek of %i returns %i', async ([length, wanted, given]) => {
    const { bytes } = randomFile(length)
    await use.store.put(key(`peek/${length}`), streamOf(bytes), pdf)
    const start = await use.store.peek(key(`peek/${length}`), wanted)
    expect(Buffer.from(start).equals(bytes.subarray(0, given))).toBe(true)
  })

  test.for([
    [0, 0],
    [0, 9],
    [5, 400_000],
    [999_999, 999_999],
    [262_144, 999_999],
  ] as const)('a range from %i to %i returns those bytes', async ([start, end]) => {
    const { bytes } = randomFile(1_000_000)
    await use.store.put(key(`range/${start}-${end}`), streamOf(bytes), pdf)
    const part = await readBytes(use.store.read(key(`range/${start}-${end}`), undefined, { start, end }))
    expect(part.equals(bytes.subarray(start, end + 1))).toBe(true)
  })

  test('stops when its signal aborts', async () => {
    await use.store.put(key('long'), streamOf(randomFile(5_000_000).bytes), pdf)
    const stop = new AbortController()
    const reason = new Error('enough')
    const read = (async () => {
      for await (const chunk of use.store.read(key('long'), stop.signal)) if (chunk.length > 0) stop.abort(reason)
    })()
    await expect(read).rejects.toBe(reason)
    await expect(use.store.checkout(key('long'), AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  test('a checkout is a local file with its SHA-256, and leaves the stored file unchanged', async () => {
    const { bytes, sha256 } = randomFile(300_000)
    await use.store.put(key('checkout'), streamOf(bytes), pdf)
    const checkout = await use.store.checkout(key('checkout'))
    expect(checkout).toMatchObject({ bytes: 300_000, sha256 })
    expect((await readFile(checkout.path)).equals(bytes)).toBe(true)
    await checkout.release()
    await checkout.release()
    expect(await use.store.head(key('checkout'))).toEqual({ bytes: 300_000 })
  })
})

describe.for(stores)('moving on %s', ([, open]) => {
  const use = useStore(open)
  const key = use.uniqueKey

  test('gives the file its new key, and is idempotent', async () => {
    const { bytes } = randomFile(100_000)
    await use.store.put(key('incoming/a'), streamOf(bytes), pdf)
    await use.store.move(key('incoming/a'), key('originals/deep/a'))
    await use.store.move(key('incoming/a'), key('originals/deep/a'))
    expect(await use.store.head(key('incoming/a'))).toBeNull()
    expect((await readBytes(use.store.read(key('originals/deep/a')))).equals(bytes)).toBe(true)
  })

  test('four concurrent moves do it once', async () => {
    const { bytes } = randomFile(100_000)
    await use.store.put(key('incoming/b'), streamOf(bytes), pdf)
    // With a failing network, one call in four may exhaust its retries; the caller then retries, as after any 503.
    const move = () => use.store.move(key('incoming/b'), key('originals/b'))
    const persist = (left: number): Promise<void> =>
      move().catch((error) => {
        if (left === 0 || error.code !== 'UNAVAILABLE') throw error
        return persist(left - 1)
      })
    await Promise.all([1, 2, 3, 4].map(() => persist(3)))
    expect(await use.store.head(key('incoming/b'))).toBeNull()
    expect((await readBytes(use.store.read(key('originals/b')))).equals(bytes)).toBe(true)
  })

  test('completes an interrupted move, where both keys have the same bytes', async () => {
    const { bytes } = randomFile(50_000)
    await use.store.put(key('incoming/c'), streamOf(bytes), pdf)
    await use.store.put(key('originals/c'), streamOf(bytes), pdf)
    await use.store.move(key('incoming/c'), key('originals/c'))
    expect(await use.store.head(key('incoming/c'))).toBeNull()
    expect((await readBytes(use.store.read(key('originals/c')))).equals(bytes)).toBe(true)
  })

  test.for([50_000, 49_999])('refuses a target key with %i other bytes, and keeps both files', async (length) => {
    const [from, to] = [randomFile(50_000), randomFile(length)]
    const names = [key(`incoming/d${length}`), key(`originals/d${length}`)] as const
    await use.store.put(names[0], streamOf(from.bytes), pdf)
    await use.store.put(names[1], streamOf(to.bytes), pdf)
    await expect(use.store.move(...names)).rejects.toMatchObject({ code: 'EXISTS' })
    expect((await readBytes(use.store.read(names[0]))).equals(from.bytes)).toBe(true)
    expect((await readBytes(use.store.read(names[1]))).equals(to.bytes)).toBe(true)
  })

  test('onto itself keeps the file', async () => {
    await use.store.put(key('still'), streamOf(randomFile(10).bytes), pdf)
    await use.store.move(key('still'), key('still'))
    expect(await use.store.head(key('still'))).toEqual({ bytes: 10 })
  })

  test('a file that is at neither key is NOT_FOUND', async () => {
    await expect(use.store.move(key('incoming/no'), key('originals/no'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(use.store.move(key('no'), key('no'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe.for(stores)('deleting and listing on %s', ([, open]) => {
  const use = useStore(open)
  const key = use.uniqueKey
  const keys = async (prefix: string) => (await toArray(use.store.list(key(prefix)))).map((file) => file.key)

  test('a deleted file is gone, its key is free, and deleting again does nothing', async () => {
    await use.store.put(key('gone'), streamOf(randomFile(10).bytes), pdf)
    await use.store.delete(key('gone'))
    await use.store.delete(key('gone'))
    expect(await use.store.head(key('gone'))).toBeNull()
    await use.store.put(key('gone'), streamOf(randomFile(11).bytes), pdf)
    expect(await use.store.head(key('gone'))).toEqual({ bytes: 11 })
  })

  test('a list contains every file below a prefix once, in key order', async () => {
    const names = ['l/a', 'l/a-b', 'l/a.b', 'l/b/1', 'l/b/2/x', 'l/b0', 'l/c', 'l2'].map(key)
    for (const name of names) await use.store.put(name, streamOf(randomFile(7).bytes), pdf)
    expect(await keys('l')).toEqual(expect.arrayContaining(names))
    expect(await keys('l/')).toEqual(names.slice(0, -1).sort())
    expect(await keys('l/b')).toEqual(['l/b/1', 'l/b/2/x', 'l/b0'].map(key))
    expect(await keys('l/b/')).toEqual(['l/b/1', 'l/b/2/x'].map(key))
    expect(await keys('l/b/2/xy')).toEqual([])
    expect(await keys('nothing/')).toEqual([])
  })

  test('a list contains size and age', async () => {
    const before = Date.now()
    await use.store.put(key('aged/x'), streamOf(randomFile(123).bytes), pdf)
    const [file] = await toArray(use.store.list(key('aged/')))
    expect(file).toMatchObject({ key: key('aged/x'), bytes: 123 })
    // Stores keep times in whole seconds.
    expect(Math.abs(file!.modifiedAt.getTime() - before)).toBeLessThan(60_000)
  })
})
