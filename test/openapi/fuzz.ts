// Calls every operation of the OpenAPI description with what its schemas allow and forbid, by schemathesis, on a server with
// books: `node test/openapi/fuzz.ts [examples]`. LECTERN_TEST_SCHEMATHESIS names the program `st` (pip install schemathesis).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RateBucket } from '../../src/accounts/rate-limiter.ts'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const program = process.env['LECTERN_TEST_SCHEMATHESIS'] ?? 'st'

/**
 * Starts a server without limits on calls and on what an account holds, so that no refusal depends on earlier calls.
 */
async function startUnlimited(): Promise<TestServer> {
  const much = 10_000
  const plans = await plansEnvironment({
    tier: 'FUZZ',
    itemLimit: much,
    monthlyReadLimit: null,
    manuscriptSlots: much,
    shelfLimit: much,
    storageMb: null,
    // As many bytes as the largest integer in a request may have.
    uploadMb: 2 ** 33,
    previewPages: null,
    canPublish: true,
  })
  const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e9]))
  return startTestServer(plans, { rateLimits: unlimited as Record<RateBucket, number> })
}

async function main(): Promise<void> {
  const [examples = '60', ...more] = process.argv.slice(2)
  const server = await startUnlimited()
  const person = await server.createPerson({ plan: 'FUZZ' })
  for (let number = 1; number <= 5; number++)
    await makeBook(server, person, { title: `Book ${number}`, content: markdownPages(4) })
  const options = [
    '--header',
    `Authorization: Bearer ${person.key}`,
    '--max-examples',
    examples,
    '--checks',
    'all',
    ...more,
  ]
  const config = join(import.meta.dirname, 'schemathesis.toml')
  const environment = { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: import.meta.dirname }
  const child = spawn(program, ['--config-file', config, 'run', `${server.baseUrl}/api/v1/openapi.json`, ...options], {
    stdio: 'inherit',
    env: environment,
    cwd: tmpdir(),
  })
  const [status] = (await once(child, 'exit')) as [number]
  await server.close()
  process.exitCode = status
}

await main()
