import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLectern } from '../support/run-lectern.ts'
import { freePort } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'

let directory: string
const environment = (name: string, more: Record<string, string> = {}) => ({
  LECTERN_DATA_DIR: join(directory, name),
  LECTERN_LOG_LEVEL: 'silent',
  ...more,
})
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-backup-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('smoke', async () => {
  const env = environment('a')
  console.log(await runLectern(['user', 'create', '--email', 'a@b.example', '--admin', '--json'], env))
  await writeFile(join(directory, 'w.pdf'), await smallBooks.pdf())
  console.log(await runLectern(['book', 'add', '--email', 'a@b.example', '--file', join(directory, 'w.pdf'), '--json'], env))
  console.log(await runLectern(['backup', '--to', join(directory, 'b.tar.zst')], env))
  console.log(await runLectern(['restore', '--from', join(directory, 'b.tar.zst')], environment('b')))
  console.log((await runLectern(['doctor', '--deep'], environment('b'))).stdout)
  console.log(await runLectern(['copy', '--to', join(directory, 'c')], env))
  console.log((await runLectern(['doctor', '--deep'], environment('c'))).stdout)
  console.log(await runLectern(['copy', '--to', join(directory, 'c')], env))
}, 60_000)
