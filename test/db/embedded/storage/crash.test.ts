import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MongoClient } from 'mongodb'
import { expect, test } from 'vitest'
import { startEmbeddedStore } from '../../../../src/db/embedded/start.ts'

const perCycle = 700
const cycles = 5

/** Runs the writer until it has acknowledged enough, kills it during its work and returns its output. */
async function writeAndKill(directory: string, first: number): Promise<string[]> {
  const script = new URL('crash-writer.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, directory, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line)
    if (acknowledged.length === perCycle) child.kill('SIGKILL')
  }
  return acknowledged
}

test('a store that is killed loses no acknowledged write', { timeout: 120_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-crash-'))
  const acknowledged = new Set<string>()
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    for (const line of await writeAndKill(directory, cycle * 10_000)) acknowledged.add(line)
  }
  const store = await startEmbeddedStore({ directory })
  const client = await new MongoClient(store.url).connect()
  const writes = client.db('crash').collection<{ _id: number; n?: number; lane: number }>('writes')
  const stored = new Map((await writes.find().toArray()).map((doc) => [doc._id, doc]))
  const lost = [...acknowledged].filter((line) => {
    const doc = stored.get(Number(line.slice(1)))
    return !doc || (line.startsWith('u') && doc.n !== doc._id)
  })
  // The index finds exactly the stored documents.
  const lanes = Array.from({ length: 8 }, (_, lane) => writes.find({ lane }).sort({ n: 1 }).toArray())
  const indexed = (await Promise.all(lanes)).flat()
  await client.close()
  await store.stop()
  await rm(directory, { recursive: true })
  expect(acknowledged.size).toBeGreaterThanOrEqual(perCycle * cycles)
  expect(lost).toEqual([])
  expect(indexed.length).toBe(stored.size)
})
