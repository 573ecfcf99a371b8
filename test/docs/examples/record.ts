import { rateLimits, type RateBucket } from '../../../src/accounts/rate-limiter.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { signedInPerson } from '../../support/signed-in-person.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { playAll, type Cast } from './calls.ts'
import { createNormalizer } from './normalize.ts'
import { createRecorder, type Caller } from './recorder.ts'
import { playRefusals } from './refusals.ts'

/** The number of calls of each rate bucket that pass while examples are recorded. */
const callsInWindow = 1000

/** A server on which every example can be recorded: it downloads files from itself. */
export function startExamplesServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const manyCalls = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, callsInWindow]))
  return startTestServer(
    { ...environment, LECTERN_IMPORT_URL: 'http' },
    {
      urlImports: { allowsAddress: () => true, anyPort: true },
      rateLimits: manyCalls as Record<RateBucket, number>,
    },
  )
}

/** A plan with low limits. */
const tinyPlan = {
  tier: 'TINY',
  tierDisplay: 'Tiny',
  itemLimit: 1,
  uploadMb: 1,
  shelfLimit: 0,
  monthlyReadLimit: 5,
  storageMb: 1,
  canPublish: true,
}

/** Records the examples of every route from a server: requests, responses and refusals, as JSON. */
export async function recordExamples(): Promise<string> {
  const startedAt = Date.now()
  const server = await startExamplesServer(await plansEnvironment(tinyPlan))
  try {
    const normalizer = createNormalizer({ baseUrl: server.baseUrl, startedAt })
    const recorder = createRecorder(server, normalizer)
    const cast = await gather(server)
    const made = await playAll(server, cast, recorder)
    await playRefusals({ server, cast, made, recorder })
    return `${JSON.stringify(recorder.examples, null, 2)}\n`
  } finally {
    await server.close()
  }
}

async function gather(server: TestServer): Promise<Cast> {
  const [ada, bob, eve] = [
    await server.createPerson({ plan: 'PRO' }),
    await server.createPerson(),
    await server.createPerson(),
  ]
  const [own, busy] = [await signIn(server), await signIn(server)]
  return {
    ada,
    bob,
    eve,
    browser: own.caller,
    busy: { ...busy.caller, accountId: busy.accountId },
    owner: own.accountId,
  }
}

/** Opens a browser in which a person is signed in. */
async function signIn(server: TestServer): Promise<{ caller: Caller; accountId: string }> {
  const { browser, account } = await signedInPerson(server)
  const csrf = /<meta name="csrf-token" content="([^"]+)"/.exec((await browser.get('/keys')).text)?.[1] ?? ''
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { Cookie: cookies, 'X-CSRF-Token': csrf, Origin: server.baseUrl }
  return { caller: { key: null, headers }, accountId: account.id }
}
