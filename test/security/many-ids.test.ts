import { describe, expect, test } from 'vitest'
import { useMeasuredServer } from '../support/use-measured-server.ts'
import { send } from '../support/transports.ts'

const { server, attacker, victim } = useMeasuredServer()

describe('a call with very many ids', () => {
  const ids = Array.from({ length: 90_000 }, (_, at) => `x${at}`)

  test.for([
    ['DELETE', '/api/v1/items', 200],
    ['PUT', '/api/v1/items/usable', 404],
  ] as const)('lets other calls pass: %s %s', async ([method, path, status]) => {
    const { result, waitedMs } = await server.during(victim, () =>
      send(server, attacker.key, { method, path, body: { ids } }),
    )
    expect(result.status).toBe(status)
    // Without parts, the lookup of all ids let two or three calls pass.
    expect(waitedMs.calls).toBeGreaterThan(8)
  })
})
