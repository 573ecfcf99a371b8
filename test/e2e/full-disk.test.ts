import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
      later: { read: 200, write: 201 },
    })
  },
)
