import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { createTemporaryFolder } from '../support/extraction.ts'

const namespaces = spawnSync('unshare', ['-m', 'true']).status === 0

test.skipIf(!namespaces)(
  'on a full disk, the server refuses writes with STORAGE_FULL, serves reads, and stops without losing anything (needs unshare -m)',
  { timeout: 120_000 },
  async () => {
    const script = 'mount -t tmpfs -o size=24m,mode=700 none "$1" && exec "$2" "$3" "$1"'
    const program = join(import.meta.dirname, '../support/full-disk-server.ts')
    const directory = await createTemporaryFolder()
    const run = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', directory, process.execPath, program])
    expect(run.stderr.toString()).toBe('')
    expect(JSON.parse(run.stdout.toString())).toEqual({
      refusal: 'STORAGE_FULL',
      reads: [200],
      writes: [507],
      tools: { read: 'ok', search: 'ok', summary: 'ok', write: 'STORAGE_FULL' },
      unwell: [expect.stringMatching(/^disk: Free some space/)],
      later: { read: 200, write: 201 },
    })
  },
)

test.skipIf(!namespaces)(
  'on a full disk, a server cannot start and says what to do (needs unshare -m)',
  { timeout: 60_000 },
  async () => {
    const script = [
      'mount -t tmpfs -o size=24m,mode=700 none "$1"',
      '"$2" "$3" user create --email a@lectern.example >"$1/created" 2>&1',
      '{ head -c 24M /dev/zero 2>"$1/filled" >"$1/fill"; "$2" "$3" start; }',
    ]
    const program = join(import.meta.dirname, '../../bin/lectern.cjs')
    const directory = await createTemporaryFolder()
    const run = spawnSync(
      'unshare',
      ['-m', 'sh', '-c', script.join(' && '), 'sh', directory, process.execPath, program],
      {
        env: { ...childEnvironment, LECTERN_DATA_DIR: join(directory, 'data'), PORT: '0' },
      },
    )
    expect({ status: run.status, stderr: run.stderr.toString() }).toEqual({
      status: 1,
      stderr: `Lectern cannot start: The disk with ${directory}/data/store is full. Free some space on it, then try again.\n`,
    })
  },
)
