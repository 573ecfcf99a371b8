import { describe, expect, test } from 'vitest'
import { toArray, readBytes, randomFile, streamOf } from '../files/bytes.ts'
import { hostileKeys } from '../files/hostile-keys.ts'
import { s3, stores, useStore, s3SkipReason } from '../files/open-stores.ts'

const pdf = { contentType: 'application/pdf', maxBytes: 50_000_000 }

if (!s3) test('a file store on S3', ({ skip }) => skip(s3SkipReason))

const send = (url: string, body: Buffer, contentType = 'application/epub+zip') =>
  fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body: new Uint8Array(body) })

describe.for(stores)('uploads by clients to %s', ([, open]) => {
  const use = useStore(open)
  const key = use.uniqueKey
  const keys = async (prefix: string) => (await toArray(use.store.list(key(prefix)))).map((file) => file.key)

  const upload = (name: string, size: number) => ({
    key: key(name),
    contentType: 'application/epub+zip',
    size,
    expiresAt: new Date(Date.now() + 900_000),
  })

  test('the URL accepts the declared file with nothing but its Content-Type', async () => {
    const { bytes, sha256 } = randomFile(3_000_000)
    const { url } = await use.store.createUploadUrl(upload('up/ok', bytes.length))
    expect((await send(url, bytes)).status).toBe(200)
    const checkout = await use.store.checkout(key('up/ok'))
    await checkout.release()
    expect(checkout).toMatchObject({ bytes: 3_000_000, sha256 })
  })

  test.for([
    ['another type', 'up/type', 1000, 'text/html'],
    ['one byte too many', 'up/long', 1001, 'application/epub+zip'],
  ] as const)('the URL refuses %s', async ([, name, length, contentType]) => {
    const { url } = await use.store.createUploadUrl(upload(name, 1000))
    expect((await send(url, randomFile(length).bytes, contentType)).ok).toBe(false)
    expect(await use.store.head(key(name))).toBeNull()
  })

  test('the URL is valid for its own key only, and not if it was tampered with', async () => {
    const { url } = await use.store.createUploadUrl(upload('up/own', 1000))
    const other = new URL(url)
    other.pathname = other.pathname.slice(0, -1) + (other.pathname.endsWith('n') ? 'm' : 'n')
    expect((await send(other.href, randomFile(1000).bytes)).status).toBe(403)
    expect(await keys('up/ow')).toEqual([])
  })

  test('the URL is refused after its expiry', async () => {
    const { url } = await use.store.createUploadUrl({
      ...upload('up/late', 1000),
      expiresAt: new Date(Date.now() + 900),
    })
    await new Promise((later) => setTimeout(later, 2_500))
    expect((await send(url, randomFile(1000).bytes)).status).toBe(403)
    expect(await use.store.head(key('up/late'))).toBeNull()
  })
})

describe.for(stores)('keys on %s', ([, open]) => {
  const use = useStore(open)
  const key = use.uniqueKey

  test(`refuses ${hostileKeys.length} hostile keys in every method, before anything happens`, async () => {
    const calls: [string, (hostile: string) => Promise<unknown>][] = [
      ['head', (hostile) => use.store.head(hostile)],
      ['peek', (hostile) => use.store.peek(hostile, 4)],
      ['read', (hostile) => readBytes(use.store.read(hostile))],
      ['checkout', (hostile) => use.store.checkout(hostile)],
      ['put', (hostile) => use.store.put(hostile, streamOf(randomFile(10).bytes), pdf)],
      ['delete', (hostile) => use.store.delete(hostile)],
      ['move from', (hostile) => use.store.move(hostile, key('safe'))],
      ['move to', (hostile) => use.store.move(key('safe'), hostile)],
      [
        'createUpload',
        (hostile) =>
          use.store.createUploadUrl({
            key: hostile,
            contentType: 'text/plain',
            size: 1,
            expiresAt: new Date(Date.now() + 1e6),
          }),
      ],
    ]
    await use.store.put(key('safe'), streamOf(randomFile(10).bytes), pdf)
    const accepted: string[] = []
    for (const hostile of hostileKeys) {
      for (const [name, call] of calls) {
        const code = await call(hostile).then(
          () => 'accepted',
          (error: { code?: string }) => error.code,
        )
        if (code !== 'INVALID_KEY') accepted.push(`${name} ${JSON.stringify(hostile)}: ${code}`)
      }
    }
    expect(accepted).toEqual([])
    expect(await use.store.head(key('safe'))).toEqual({ bytes: 10 })
  })

  test('a list refuses a prefix that no key can begin with', async () => {
    for (const prefix of ['..', '../', '/', '/etc/', 'a/../', '.tmp/', 'a//']) {
      await expect(toArray(use.store.list(prefix))).rejects.toMatchObject({ code: 'INVALID_KEY' })
    }
  })

  test('is ready, and removes nothing from an empty folder', async () => {
    await use.store.assertReady()
    expect(await use.store.removeStaleTempFiles(new Date(Date.now() + 1000))).toBe(0)
  })
})
