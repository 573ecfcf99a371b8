// The time of browsing a marketplace in each order and filter, through the use case of the public route. Usage: node
// bench/marketplace.ts [LISTINGS]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../src/accounts/create-account.ts'
import { createAccountContext } from '../src/admin/commands/account-context.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { browseMarketplace } from '../src/marketplace/browse-marketplace.ts'
import { BrowseMarketplace } from '../src/marketplace/schema.ts'
import { openServices } from '../src/app/services.ts'
import { seedListings } from '../test/support/seed-listings.ts'
import { percentiles, printTable } from './statistics.ts'

const count = Number(process.argv[2] ?? 10_000)
const calls = 40

const queries: [string, Record<string, unknown>][] = [
  ['newest', {}],
  ['popular', { sort: 'popular' }],
  ['az', { sort: 'az' }],
  ['page 100 of az', { sort: 'az', page: 100 }],
  ['100 a page', { limit: 100 }],
  ['a category, popular', { category: 'science', sort: 'popular' }],
  ['a tag, az', { tag: 'tag-7', sort: 'az' }],
  ['a tag and a category', { tag: 'tag-7', category: 'history' }],
  ['Pro only, popular', { proOnly: true, sort: 'popular' }],
  ['since the last day', { since: new Date(Date.UTC(2026, 0, 1) + (count - 1440) * 60_000) }],
  ['since the last day, az', { since: new Date(Date.UTC(2026, 0, 1) + (count - 1440) * 60_000), sort: 'az' }],
  ['a rare word', { query: 'sordanpel' }],
  ['a common word', { query: 'ro' }],
  ['two common words, popular', { query: 'ro mi', sort: 'popular' }],
  ['a word and a category', { query: 'ten', category: 'science' }],
]

const directory = await mkdtemp(join(tmpdir(), 'lectern-marketplace-'))
const url = process.env['LECTERN_TEST_MONGODB_URL']
const open = await openServices(
  readConfig({
    LECTERN_DATA_DIR: directory,
    ...(url ? { LECTERN_MONGODB_URL: `${url}bench_market_${process.pid}` } : {}),
  }),
)
try {
  const { services, database } = open
  const account = await createAccount(services, { email: 'market@lectern.example', name: 'Market' })
  await seedListings(database.db, account.id, count)
  const ctx = createAccountContext({ services, log: createLog('silent') }, account)
  const rows = [['query', 'total', 'first ms', 'p50', 'p95']]
  for (const [name, { since, ...filters }] of queries) {
    const input = { ...BrowseMarketplace.parse(filters), ...(since instanceof Date ? { since } : {}) }
    const times: number[] = []
    let total = 0
    for (let at = 0; at < calls; at++) {
      const started = performance.now()
      ;({ total } = await browseMarketplace(ctx, input))
      times.push(performance.now() - started)
    }
    const { p50, p95 } = percentiles(times)
    rows.push([name, `${total}`, ...[times[0] ?? 0, p50, p95].map((ms) => ms.toFixed(1))])
  }
  printTable(rows)
} finally {
  if (url) await open.database.db.dropDatabase()
  await open.close()
  await rm(directory, { recursive: true, force: true })
}
