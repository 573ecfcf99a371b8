import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sendMcp } from '../support/transports.ts'
import { startTestServer } from '../support/server.ts'
import { conformanceProfile, profileName } from './profile.ts'
import { runConformance, type ConformanceRun } from './runs.ts'

/** The official suite requires Node 22. */
const isNodeSupported = Number(process.versions.node.split('.')[0]) >= 22

afterEach(() => vi.unstubAllEnvs())

describe.skipIf(!isNodeSupported)('the official conformance suite', () => {
  let runs: ConformanceRun[]

  beforeAll(async () => {
    vi.stubEnv('LECTERN_PROFILE', profileName)
    runs = await runConformance()
  })

  test.for([
    ['2026-07-28', 37, 37],
    ['2025-11-25', 26, 30],
    ['2025-11-25 in sessions', 30, 30],
    ['authorization', 2, 2],
  ] as const)('%s: %d of %d scored scenarios pass and no other fails', ([name, passed, scored]) => {
    const run = runs.find((candidate) => candidate.name === name)
    expect({ unexpected: run?.unexpectedResults, passed: run?.passed, scored: run?.scored }).toEqual({
      unexpected: [],
      passed,
      scored,
    })
  })
})

test('a server without the profile has none of the fixtures', async () => {
  vi.stubEnv('LECTERN_PROFILE', '')
  const server = await startTestServer({ LECTERN_ROLE: 'web' }, conformanceProfile({ sessions: true }))
  const { key } = await server.createPerson()
  const { text } = await sendMcp(server, key, { method: 'tools/list' })
  expect(text).not.toContain('"test_')
  const prompts = await sendMcp(server, key, { method: 'prompts/list' })
  expect(prompts.body.error.code).toBe(-32_601)
  await server.close()
})
