// A server of another version: TEST_KNOWN_SCHEMA and TEST_WRITTEN_SCHEMA are its known and written schema versions.
// With schema 2, it marks accounts before it answers calls, and books in the background; an older one does neither.
import { MongoClient } from 'mongodb'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { explainStartFailure } from '../../src/app/start-failure.ts'
import { startServer } from '../../src/app/start.ts'
import { databaseNameOf } from '../../src/db/connect.ts'
import type { Migration } from '../../src/db/migrate.ts'
import type { OpenedServices } from '../../src/app/services.ts'
import { markingMigration } from './marking-migration.ts'

type Services = OpenedServices['services']

const unlimited = { ...rateLimits, ...Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000])) }
const config = readConfig(process.env)
const [known, written] = [process.env['TEST_KNOWN_SCHEMA'], process.env['TEST_WRITTEN_SCHEMA']].map(Number)
const schema = { known: known ?? 1, written: written ?? 1 }
// A separate connection, because the services of this version have no method for data of a later one.
const url = config.mongodbUrl ?? ''
const db = (await new MongoClient(url).connect()).db(databaseNameOf(url))
const migrations: readonly Migration<Services>[] =
  schema.written < 2 ? [] : [markingMigration(db, 'accounts', { neededBy: 2 }), markingMigration(db, 'books', {})]

try {
  const log = createLog(config.logLevel)
  const server = await startServer(config, log, { leaseMs: 10_000, schema, migrations, rateLimits: unlimited })
  process.once('SIGTERM', async () => {
    await server.stop()
    process.exit(0)
  })
} catch (error) {
  process.stderr.write(`Lectern cannot start: ${explainStartFailure(error, config)}\n`)
  process.exit(1)
}
