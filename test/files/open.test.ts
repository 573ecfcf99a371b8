import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const program = `
  import { createRequire } from 'node:module'
  import { pathToFileURL } from 'node:url'
  const [source, directory] = process.argv.slice(1)
  const { openFileStore } = await import(pathToFileURL(source))
  const loaded = () => Object.keys(createRequire(source).cache).some((path) => path.includes('@aws-sdk'))
  const baseUrl = 'http://localhost'
  await openFileStore({ driver: 'disk', directory, baseUrl, secret: 'secret' })
  const before = loaded()
  await openFileStore({ driver: 's3', region: 'us-east-1', bucket: 'books', forcePathStyle: true, tempDirectory: directory })
  process.stdout.write(JSON.stringify([before, loaded()]))
`

test('a service on disk does not load the S3 client; a service on S3 does', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-open-'))
  const source = join(import.meta.dirname, '..', '..', 'src', 'files', 'open-file-store.ts')
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program, source, directory])
  await rm(directory, { recursive: true })
  expect(run.stderr.toString()).toBe('')
  expect(JSON.parse(run.stdout.toString())).toEqual([false, true])
})
