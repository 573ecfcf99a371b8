import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '../../src/backup/restore.ts'
import { openDatabase } from '../../src/db/connect.ts'
import { hasStore } from '../../src/db/require-store.ts'
import { findingsIn, makeSmallLibrary, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { isNightly } from '../support/is-nightly.ts'
import { runLectern } from '../support/run-lectern.ts'

const places = usePlaces()
const program = fileURLToPath(new URL('../support/killable-command.ts', import.meta.url))
let source: Record<string, string>
let file = ''
let whole: { collections: unknown; files: unknown }

beforeAll(async () => {
  const directory = places.path('source')
  // The largest book has more pages than fit into one part of an archive. More pages would only repeat the same changes.
  await makeSmallLibrary(directory, { largestBytes: 1_500_000 })
  source = placeEnvironment(directory)
  file = places.path('archive')
  const { collections, files } = await runOn(source, 'backup', '--to', file)
  whole = { collections, files }
}, 60_000)

/** Runs a command that is killed after its nth change. Returns true if the command ended before that. */
async function killAfter(n: number, environment: Record<string, string>, ...args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [program, String(n), ...args, '--json'], {
    env: { ...childEnvironment, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal === null) expect(code).toBe(0)
  return signal === null
}

const timeout = isNightly ? 7_200_000 : 300_000

/**
 * Kills the command at its first step, then at steps that double each time, until the command ends before it is killed.
 * Nightly runs try every step. `every-change.test.ts` always tries every change, in one process.
 */
async function killAtSteps(attempt: (n: number) => Promise<boolean>): Promise<number> {
  for (let n = 1; ; n += isNightly ? 1 : n) if (await attempt(n)) return n
}

test(
  'a killed backup leaves no incomplete file that looks complete, and the next backup succeeds',
  { timeout },
  async () => {
    const steps = await killAtSteps(async (n) => {
      const to = places.path('archive')
      if (await killAfter(n, source, 'backup', '--to', to)) return true
      // The archive gets its name near the end, so only the last kills find it.
      if (await exists(to)) await verifyArchive(to, () => {})
      else await runOn(source, 'backup', '--to', to)
      expect(await exists(`${to}.part`)).toBe(false)
      return false
    })
    expect(steps).toBeGreaterThan(2)
  },
)

test('a killed restore is detected and starts again when it is repeated', { timeout }, async () => {
  const steps = await killAtSteps(async (n) => {
    const target = placeEnvironment(places.path('restored'))
    const isWhole = await killAfter(n, target, 'restore', '--from', file)
    if (!isWhole) {
      await expectUnfinished(target, /A restore into this place was interrupted|There is no library in/)
      await letLeaseEnd(target)
      const { collections, files } = await runOn(target, 'restore', '--from', file)
      expect({ collections, files }, `killed after ${n}`).toEqual(whole)
    }
    expect(await findingsIn(target), `killed after ${n}`).toEqual([])
    await rm(target['LECTERN_DATA_DIR'] as string, { recursive: true })
    return isWhole
  })
  expect(steps).toBeGreaterThan(16)
})

test('a killed copy is detected, starts again, and leaves the source unchanged', { timeout }, async () => {
  const before = await runOn(source, 'backup', '--to', places.path('archive'))
  const steps = await killAtSteps(async (n) => {
    const target = placeEnvironment(places.path('copied'))
    const to = target['LECTERN_DATA_DIR'] as string
    const isWhole = await killAfter(n, source, 'copy', '--to', to)
    if (!isWhole) {
      await expectUnfinished(target, /A copy into this place was interrupted|There is no library in/)
      await letLeaseEnd(target)
      await runOn(source, 'copy', '--to', to)
    }
    expect(await findingsIn(target), `killed after ${n}`).toEqual([])
    const secretOf = (place: Record<string, string>) =>
      readFile(join(place['LECTERN_DATA_DIR'] as string, 'secret'), 'utf8')
    expect(await secretOf(target)).toBe(await secretOf(source))
    await rm(to, { recursive: true })
    return isWhole
  })
  expect(steps).toBeGreaterThan(16)
  expect(await findingsIn(source)).toEqual([])
  const after = await runOn(source, 'backup', '--to', places.path('archive'))
  expect(after.files).toEqual(before.files)
  expect(after.collections).toMatchObject({ books: before.collections.books, contents: before.collections.contents })
})

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Expects a refusal, unless the kill came after the last change, which completes the place. */
async function expectUnfinished(target: Record<string, string>, says: RegExp): Promise<void> {
  const { code, json } = await runLectern(['doctor', '--json'], target)
  if (code === 0) await rm(target['LECTERN_DATA_DIR'] as string, { recursive: true })
  else expect(json.error).toMatch(says)
}

/** Ends the lease at once. The next command would otherwise wait 20 seconds for it. */
async function letLeaseEnd(target: Record<string, string>): Promise<void> {
  const directory = target['LECTERN_DATA_DIR'] as string
  if (!(await hasStore({ url: undefined, directory }))) return
  const { db, close } = await openDatabase({ url: undefined, directory })
  await db.collection<{ _id: string }>('installation').updateOne({ _id: 'filling' }, { $set: { until: new Date(0) } })
  await close()
}
