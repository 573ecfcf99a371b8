import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runLectern } from '../support/run-lectern.ts'
import { startProcess } from '../support/server-process.ts'

async function directory(mode: number): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lectern-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  await chmod(path, mode)
  return path
}

describe('a data directory that every user may write', () => {
  test.for([0o777, 0o1777, 0o702])('is refused by the server in one sentence: mode %o', async (mode) => {
    const path = await directory(mode)
    const process = startProcess(path)
    await expect(process).rejects.toThrow(`every user of this machine may write ${path}`)
    await expect(process).rejects.toThrow(`Run: chmod go-w '${path}'`)
    await expect(process).rejects.not.toThrow('could not start')
    expect(await readdir(path)).toEqual([])
  })

  test('is refused by the command', async () => {
    const created = await runLectern(['user', 'create', '--email', 'a@lectern.example'], {
      LECTERN_DATA_DIR: await directory(0o777),
    })
    expect(created.code).toBe(1)
    expect(created.stderr).toContain('every user of this machine may write')
  })
})

test('a data directory that its group may write is used with a warning', async () => {
  const path = await directory(0o770)
  const server = await startProcess(path)
  expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200)
  expect(server.output()).toContain('the group of the data directory may write it')
})

test('a new data directory is accessible to its owner only', async () => {
  const path = join(await directory(0o700), 'new')
  await startProcess(path)
  expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test('a data directory that the system does not create is refused at once, in one sentence', async () => {
  // Node's recursive mkdir does not return for such a path.
  const process = startProcess('/proc/lectern')
  await expect(process).rejects.toThrow('/proc/lectern cannot be used: it cannot be created there (ENOENT)')
})
