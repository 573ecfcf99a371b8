import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connectDatabase } from '../../src/db/connect.ts'
import { lockDirectory } from '../../src/db/embedded/storage/lock.ts'
import { hostsOf } from '../../src/db/database-failure.ts'
import { StartError } from '../../src/core/start-error.ts'
import { createTemporaryFolder } from '../support/extraction.ts'

test('waits for a store that another process is starting', async () => {
  const directory = await createTemporaryFolder()
  await mkdir(join(directory, 'store'))
  const unlock = lockDirectory(join(directory, 'store'))
  const connected = connectDatabase({ url: undefined, directory })
  await delay(500)
  unlock()
  const database = await connected
  await database.ping()
  await database.close()
})

test(
  'a database that accepts connections but does not answer is reported, then fails',
  { timeout: 60_000 },
  async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', () => resolve())
    })
    onTestFinished(() => void silent.close())
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    const waiting: string[] = []
    const options = { url: `mongodb://reader:secret@${host}/books`, directory: '/nowhere' }
    const connected = connectDatabase({ ...options, onWaiting: (hosts) => void waiting.push(hosts) })
    await expect(connected).rejects.toThrow(`The database at ${host} does not answer`)
    await expect(connected).rejects.toThrow(StartError)
    await expect(connected).rejects.not.toThrow(/secret/)
    expect(waiting).toEqual([host])
  },
)

test('a damaged store is refused with the way to a backup', async () => {
  const directory = await createTemporaryFolder()
  await (await connectDatabase({ url: undefined, directory })).close()
  await writeFile(join(directory, 'store', 'store.db'), 'no database'.repeat(1000))
  const connected = connectDatabase({ url: undefined, directory })
  await expect(connected).rejects.toThrow(
    /^The store in .* cannot be opened: .*\. .*restore the latest backup into another folder: lectern restore --from FILE$/,
  )
  await expect(connected).rejects.toThrow(StartError)
})

test.for([
  'mongodb://reader:sec/ret@host:27017/books',
  'mongodb://host:port/books',
  'mongodb://host/?retryWrites=perhaps',
])('the URL %s is refused without being printed', async (url) => {
  const connected = connectDatabase({ url, directory: '/nowhere' })
  await expect(connected).rejects.toThrow(/^LECTERN_MONGODB_URL cannot be read as mongodb:/)
  await expect(connected).rejects.not.toThrow(/sec/)
})

test.for([
  ['mongodb://localhost', 'localhost'],
  ['mongodb://user:p%40ss@a:1,b:2/books?ssl=true', 'a:1,b:2'],
  ['mongodb+srv://user:p@ss@cluster.example', 'cluster.example'],
] as const)('the hosts of %s are %s', ([url, hosts]) => {
  expect(hostsOf(url)).toBe(hosts)
})
