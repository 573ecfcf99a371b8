import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBytes, randomFile, streamOf } from './bytes.ts'
import { type Fault, type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { openS3, s3, useStore, s3SkipReason } from './open-stores.ts'

const pdf = { contentType: 'application/pdf', maxBytes: 50_000_000 }

if (!s3) test('S3 faults', ({ skip }) => skip(s3SkipReason))

const file = randomFile(3_000_000)
const shortLimits = { responseTimeoutMs: 400, stallTimeoutMs: 400, copyTimeoutMs: 400, readyTimeoutMs: 400 }

/**
 * Starts a store behind a proxy for one `describe`. `injectFaults` applies a fault to the first `times` requests of a
 * method. `impatient` is the same store with limits of 400 ms. Only tests that wait use it, because a busy machine must
 * not look like a fault.
 */
function useFaults() {
  let proxy: FaultProxy
  const use = useStore(async () => {
    proxy = await openFaultProxy(s3!.endpoint)
    const opened = await openS3({ endpoint: proxy.url })
    // Detects what the store supports first, so that the faults below are the only failures.
    await opened.store.put(opened.uniqueKey('first'), streamOf(randomFile(10).bytes), pdf)
    return { ...opened, close: () => opened.close().finally(() => proxy.close()) }
  })
  const impatient = useStore(() => openS3({ endpoint: proxy.url, limits: shortLimits }))
  const storeFor = (fault: Fault) => (fault.startsWith('stalled') ? impatient.store : use.store)
  // Unique also among repetitions of the same test.
  const freshKey = (name: string) => use.uniqueKey(`${name}-${randomUUID()}`.toLowerCase().replaceAll(' ', '-'))
  afterAll(() => clearFaults())
  const injectFaults = (method: string, fault: Fault, times = Infinity) => {
    let faultsLeft = times
    proxy.requests.length = 0
    proxy.chooseFault = (request) => (request.method === method && faultsLeft-- > 0 ? fault : 'pass')
  }
  const clearFaults = () => {
    proxy.chooseFault = () => 'pass'
  }
  return { use, storeFor, freshKey, injectFaults, clearFaults, seen: () => proxy.requests }
}

describe.skipIf(!s3)('reading through a failing network', () => {
  const { use, storeFor, freshKey, injectFaults, seen } = useFaults()
  beforeAll(() => use.store.put(use.uniqueKey('file'), streamOf(file.bytes), pdf))

  test.for([
    ['error 500', 2],
    ['error 503', 2],
    ['gateway page', 2],
    ['reset before', 2],
    ['reset in body', 2],
    ['truncated body', 2],
  ] as const)('a read survives %s %i times, and no more than that', async ([fault, times]) => {
    injectFaults('GET', fault, times)
    const checkout = await use.store.checkout(use.uniqueKey('file'))
    await checkout.release()
    expect(checkout).toMatchObject({ bytes: 3_000_000, sha256: file.sha256 })
    expect(seen()).toEqual([`GET ${fault}`, `GET ${fault}`, 'GET pass'])
    injectFaults('GET', fault)
    await expect(use.store.checkout(use.uniqueKey('file'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test.for(['stalled head', 'stalled body'] as const)('a read with a %s fails with UNAVAILABLE', async (fault) => {
    injectFaults('GET', fault)
    const store = storeFor(fault)
    await expect(readBytes(store.read(use.uniqueKey('file')))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(store.peek(use.uniqueKey('file'), 1000)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('resuming a read in another file under the same key is an error, not a mixture', async () => {
    const swapped = freshKey('swapped')
    await use.store.put(swapped, streamOf(randomFile(2_000_000).bytes), pdf)
    injectFaults('GET', 'reset in body', 1)
    const reading = (async () => {
      let bytes = 0
      for await (const chunk of use.store.read(swapped)) {
        if (bytes === 0) {
          await use.store.delete(swapped)
          await use.store.put(swapped, streamOf(randomFile(2_000_000).bytes), pdf)
        }
        bytes += chunk.length
      }
    })()
    await expect(reading).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

describe.skipIf(!s3)('storing through a failing network', () => {
  const { use, storeFor, freshKey, injectFaults, clearFaults } = useFaults()

  test.for(['error 500', 'error 503', 'reset before', 'reset after', 'gateway page'] as const)(
    'a file of 20 MB is stored completely in spite of %s',
    async (fault) => {
      const { bytes, sha256 } = randomFile(20_000_000)
      const name = freshKey(`put/${fault}`)
      injectFaults('PUT', fault, 2)
      await use.store.put(name, streamOf(bytes), pdf)
      clearFaults()
      const checkout = await use.store.checkout(name)
      await checkout.release()
      expect(checkout).toMatchObject({ bytes: 20_000_000, sha256 })
    },
  )

  test.for(['error 503', 'reset before', 'stalled upload'] as const)(
    'a file that cannot be stored because of %s does not exist',
    async (fault) => {
      const name = freshKey(`lost/${fault}`)
      injectFaults('PUT', fault)
      const put = storeFor(fault).put(name, streamOf(randomFile(20_000_000).bytes), pdf)
      await expect(put).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      clearFaults()
      expect(await use.store.head(name)).toBeNull()
    },
  )
})

describe.skipIf(!s3)('moving through a failing network', () => {
  const { use, storeFor, freshKey, injectFaults, clearFaults } = useFaults()

  test.for([
    ['PUT', 'error 503'],
    ['PUT', 'reset before'],
    ['PUT', 'reset after'],
    ['PUT', 'stalled head'],
    ['DELETE', 'error 500'],
    ['DELETE', 'reset before'],
    ['DELETE', 'reset after'],
    ['HEAD', 'error 503'],
  ] as const)(
    'a move that fails permanently at %s with %s loses nothing, and a repeat completes it',
    async ([method, fault]) => {
      const [from, to] = [freshKey(`incoming/${method} ${fault}`), freshKey(`originals/${method} ${fault}`)]
      await use.store.put(from, streamOf(file.bytes), pdf)
      injectFaults(method, fault)
      await expect(storeFor(fault).move(from, to)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      clearFaults()
      await use.store.move(from, to)
      expect(await use.store.head(from)).toBeNull()
      expect((await readBytes(use.store.read(to))).equals(file.bytes)).toBe(true)
    },
  )

  test('is not ready while it fails, and ready again without a restart', async () => {
    for (const fault of ['error 503', 'reset before', 'stalled head'] as const) {
      injectFaults('HEAD', fault)
      await expect(storeFor(fault).assertReady()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    }
    clearFaults()
    await use.store.assertReady()
  })
})
