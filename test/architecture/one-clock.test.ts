import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The files that may use the clock of the machine, and why. */
const own: Record<string, string> = {
  'src/db/clock.ts': 'compares it with the clock of the store',
  'oauth/adapter.ts': 'the provider knows no other',
  'src/db/connect.ts': 'how long a start waits',
  'src/files/s3-store.ts': 'signatures are made with it',
  'src/core/ids.ts': 'fences are compared for being the same',
  'src/accounts/window-counter.ts': 'an hour more than a row is kept for',
  'src/admin/doctor/deployment/check-deployment.ts': 'another server is examined, without a store',
}

test("code takes the time from the store's clock, which all replicas share", async () => {
  const root = new URL('../../', import.meta.url).pathname
  const found: string[] = []
  for (const folder of ['src', 'oauth', 'tools'])
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      const file = join(folder, name)
      // The store provides the time, so it may read the clock.
      if (!file.endsWith('.ts') || file.startsWith('src/db/embedded/')) continue
      if (/Date\.now\(\)|new Date\(\)/.test(await readFile(join(root, file), 'utf8'))) found.push(file)
    }
  expect(found.sort()).toEqual(Object.keys(own).sort())
})
