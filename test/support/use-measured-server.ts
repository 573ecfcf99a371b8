import { afterAll, beforeAll } from 'vitest'
import { laterValue } from './later-value.ts'
import { startMeasuredServer, type MeasuredServer } from './measure-attack.ts'
import type { Person } from './server.ts'

/**
 * Starts a measured server with two accounts before the tests of a file or of a `describe`, and closes it afterwards.
 * Tests and later hooks can use them.
 */
export function useMeasuredServer(): { server: MeasuredServer; attacker: Person; victim: Person } {
  let started: { server: MeasuredServer; attacker: Person; victim: Person } | undefined
  beforeAll(async () => {
    const server = await startMeasuredServer()
    started = { server, attacker: await server.createPerson(), victim: await server.createPerson() }
  })
  afterAll(() => started?.server.close())
  return {
    server: laterValue(() => started?.server),
    attacker: laterValue(() => started?.attacker),
    victim: laterValue(() => started?.victim),
  }
}
