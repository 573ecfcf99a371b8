import { freePort } from '../support/server.ts'
import { answerConsent, registerClient } from '../support/oauth.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { expectedFailures } from './expected-failures.ts'
import { startConformanceStack, type ConformanceStack } from './stack.ts'
import { runAuthorizationSuite, runServerSuite, type ScenarioOutcome } from './suite.ts'

/** One run of the official suite, with the numbers of its results. */
export interface ConformanceRun {
  name: string
  description: string
  outcomes: ScenarioOutcome[]
  passed: number
  scored: number
  /** Scored scenarios that failed as expected. */
  expectedFailures: string[]
  /** Scored scenarios that failed unexpectedly, or passed although a failure was expected. */
  unexpectedResults: string[]
}

/**
 * Runs the whole suite: both revisions in Lectern's default mode, the older one also in sessions, and authorization.
 */
export async function runConformance(): Promise<ConformanceRun[]> {
  const runs: ConformanceRun[] = []
  await withStack(false, async (stack) => {
    const mcp = `${stack.url}/api/v1/mcp`
    runs.push(toRun('2026-07-28', 'as Lectern serves it', await runServerSuite(mcp, '2026-07-28')))
    await stack.switchAccount()
    runs.push(toRun('2025-11-25', 'as Lectern serves it: without sessions', await runServerSuite(mcp, '2025-11-25')))
    runs.push(toRun('authorization', 'our authorization server', await runAuthorization(stack)))
  })
  await withStack(true, async (stack) => {
    const outcomes = await runServerSuite(`${stack.url}/api/v1/mcp`, '2025-11-25')
    runs.push(toRun('2025-11-25 in sessions', 'with the sessions of the profile', outcomes))
  })
  return runs
}

async function withStack(sessions: boolean, act: (stack: ConformanceStack) => Promise<void>): Promise<void> {
  const stack = await startConformanceStack({ sessions })
  try {
    await act(stack)
  } finally {
    await stack.close()
  }
}

async function runAuthorization({ server, url }: ConformanceStack): Promise<ScenarioOutcome[]> {
  const site = { ...server, baseUrl: url }
  const port = await freePort()
  const { body } = await registerClient(site, { redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  const { browser } = await signedInPerson(site)
  return runAuthorizationSuite({
    issuer: url,
    resource: `${url}/api/v1/mcp`,
    clientId: body.client_id,
    port,
    async authorize(address) {
      const answered = await answerConsent(browser, address)
      await fetch(answered.address)
    },
  })
}

function toRun(name: string, description: string, outcomes: ScenarioOutcome[]): ConformanceRun {
  const allowedFailures = expectedFailures[name] ?? {}
  const scored = outcomes.filter((outcome) => outcome.scored)
  const failed = new Set(scored.filter(({ failures }) => failures.length > 0).map(({ scenario }) => scenario))
  return {
    name,
    description,
    outcomes,
    passed: scored.length - failed.size,
    scored: scored.length,
    expectedFailures: [...failed].filter((scenario) => scenario in allowedFailures),
    unexpectedResults: [
      ...[...failed].filter((scenario) => !(scenario in allowedFailures)),
      ...Object.keys(allowedFailures).filter((scenario) => !failed.has(scenario)),
    ],
  }
}
