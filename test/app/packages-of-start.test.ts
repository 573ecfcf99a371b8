import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../support/extraction.ts'
import { startProcess } from '../support/server-process.ts'

/** Packages that a server loads when it needs them, because many servers never do, or not for hours. */
const loadedLater = new Set([
  '@aws-sdk/client-s3',
  'highlight.js',
  'jszip',
  'nodemailer',
  'oidc-provider',
  'pdfjs-dist',
])

const program = fileURLToPath(new URL('../support/list-packages.ts', import.meta.url))

test('a start loads no package that is needed later', async () => {
  const folder = await createTemporaryFolder()
  const list = join(folder, 'packages.json')
  const { child, exited } = await startProcess(join(folder, 'data'), {
    NODE_OPTIONS: `--import=${program}`,
    TEST_PACKAGES_FILE: list,
  })
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  const loaded = JSON.parse(await readFile(list, 'utf8')) as string[]
  expect(loaded).toContain('hono')
  expect(loaded.filter((name) => loadedLater.has(name))).toEqual([])
})
