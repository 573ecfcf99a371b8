import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { openPlace, type OpenedPlace } from '../../src/admin/commands/open-place.ts'
import { fillPlace } from '../../src/backup/fill-place.ts'
import { restoreArchive } from '../../src/backup/restore.ts'
import { writeSecretFile } from '../../src/backup/secret-file.ts'
import { leaseEnd } from '../../src/db/lease.ts'
import { findingsIn, makeSmallLibrary, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { collect } from '../support/collect.ts'
import { runLectern } from '../support/run-lectern.ts'

const places = usePlaces()
const show = () => {}
let source: Record<string, string>
let archive = ''

beforeAll(async () => {
  const directory = places.path('source')
  await makeSmallLibrary(directory)
  source = placeEnvironment(directory)
  archive = places.path('archive')
  await runOn(source, 'backup', '--to', archive)
}, 60_000)

function open(directory: string): Promise<OpenedPlace> {
  return openPlace({
    mongodbUrl: undefined,
    dataDir: directory,
    baseUrl: 'http://127.0.0.1',
    files: join(directory, 'files'),
  })
}

/** Returns a stream of a file that pauses before the last thousand bytes until `go` is called. */
function haltingStream(path: string): { stream: Readable; halted: Promise<void>; go(): void } {
  const [halted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* bytes() {
    const chunks: Buffer[] = []
    for await (const chunk of createReadStream(path)) chunks.push(chunk as Buffer)
    const all = Buffer.concat(chunks)
    yield all.subarray(0, -1000)
    halted.resolve()
    await released.promise
    yield all.subarray(-1000)
  }
  return { stream: Readable.from(bytes()), halted: halted.promise, go: released.resolve }
}

test.for<[string, (target: string) => [string[], Record<string, string>]]>([
  ['restore', (target) => [['restore', '--from', archive], placeEnvironment(target)]],
  ['copy', (target) => [['copy', '--to', target], source]],
])(
  'a %s to a place that is being filled is refused, and the first operation completes',
  { timeout: 60_000 },
  async ([, second]) => {
    const target = places.path('target')
    const place = await open(target)
    const { stream, halted, go } = haltingStream(archive)
    const first = restoreArchive(stream, place, {
      show,
      keepSecret: async (secret) => writeSecretFile(target, secret ?? ''),
    })
    await halted
    while ((await leaseEnd(place.db, 'filling')) === null) await delay(20)
    const refused = await runLectern(...second(target))
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Another restore or copy into .*target-\d+ is running\. Wait/),
    })
    go()
    await first
    await place.close()
    expect(await findingsIn(placeEnvironment(target))).toEqual([])
  },
)

test('of two operations that start at the same moment, one gets the place', { timeout: 60_000 }, async () => {
  const place = await open(places.path('target'))
  const filling = { filling: 'restore' as const, schema: 1, show, leaseMs: 5000 }
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => fillPlace(place, filling)))
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
  expect(refusals).toHaveLength(2)
  for (const refusal of refusals) expect(refusal).toMatch(/Another restore or copy into/)
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.abandon()
  expect(await place.db.listCollections().toArray()).toEqual([])
  await place.close()
})

test('an operation that was silent for too long loses the place, and does not disturb its successor', async () => {
  const target = places.path('target')
  const place = await open(target)
  const options = { filling: 'restore' as const, schema: 1, show, leaseMs: 5000 }
  const paused = await fillPlace(place, options)
  const part = (text: string) => ({
    kind: 'file' as const,
    key: `originals/${text}/x`,
    bytes: text.length,
    sha256: null,
    read: () => Readable.from([Buffer.from(text)]),
  })
  await paused.add(part('first'))
  // As if its heartbeats were late.
  await place.db
    .collection<{ _id: string }>('installation')
    .updateOne({ _id: 'filling' }, { $set: { until: new Date(0), holder: 'killed' } })
  const next = await fillPlace(place, options)
  await next.add(part('second'))
  await expect(paused.finish(show)).rejects.toThrow(/Another restore or copy has taken over|The stored data differs/)
  await paused.abandon()
  await expect(paused.add(part('third'))).rejects.toThrow(/Another restore or copy has taken over/)
  expect(await collect(place.files!.list(''))).toEqual([expect.objectContaining({ key: 'originals/second/x' })])
  expect((await next.finish(show)).files.count).toBe(1)
  await place.close()
})
