import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer()

const machine = {
  machineId: 'machine-0001',
  hostname: 'laptop',
  os: 'linux',
  cliVersion: '1.2.3',
  agents: [{ name: 'cursor', detected: true, installed: false, installType: null }],
}

async function machinesOf(person: Person, on = server) {
  return (await callOverRest(on, person, 'list_machines')).body.machines
}

describe('report_agents and list_machines', () => {
  test('a report replaces the earlier one of the machine, and repeating it changes nothing', async () => {
    const person = await server.createPerson()
    const first = await callOverRest(server, person, 'report_agents', machine)
    expect(first.body).toEqual({ ok: true, machineId: 'machine-0001', agentCount: 1, ignoredAgents: [] })
    await callOverRest(server, person, 'report_agents', machine)
    const agents = [{ name: 'codex', detected: true, installed: true, installType: 'codex bundle' }]
    await callOverRest(server, person, 'report_agents', { machineId: 'machine-0001', agents })
    expect(await machinesOf(person)).toEqual([
      { machineId: 'machine-0001', hostname: null, os: null, cliVersion: null, lastSeenAt: expect.any(String), agents },
    ])
  })

  test('unknown agents are ignored and named', async () => {
    const agents = [
      { name: 'clippy', detected: true, installed: true },
      { name: 'grok', detected: true, installed: false },
    ]
    const answer = await callOverRest(server, await server.createPerson(), 'report_agents', { ...machine, agents })
    expect(answer.body).toMatchObject({ agentCount: 1, ignoredAgents: ['clippy'] })
  })

  test('of 22 machines the 20 most recently seen are kept, most recent first', async () => {
    const person = await server.createPerson()
    const { services, database } = server.running.opened
    for (let i = 0; i < 20; i++) {
      const lastSeenAt = new Date(Date.now() - (30 - i) * 60_000)
      await services.settings.saveMachine(
        person.id,
        { machineId: `machine-${i}`, hostname: null, os: null, cliVersion: null, lastSeenAt, agents: [] },
        20,
      )
    }
    await callOverRest(server, person, 'report_agents', { ...machine, machineId: 'machine-new-1' })
    await callOverRest(server, person, 'report_agents', { ...machine, machineId: 'machine-new-2' })
    const ids = (await machinesOf(person)).map(({ machineId }: { machineId: string }) => machineId)
    expect(ids).toHaveLength(20)
    expect(ids.slice(0, 3)).toEqual(['machine-new-2', 'machine-new-1', 'machine-19'])
    expect(await database.db.collection('machines').countDocuments({ accountId: person.id })).toBe(20)
  })

  test('machines are separate for each account', async () => {
    await callOverRest(server, await server.createPerson(), 'report_agents', machine)
    expect(await machinesOf(await server.createPerson())).toEqual([])
  })

  test('with telemetry off, host name and system are neither stored nor shown', async () => {
    const quiet = await startTestServer({ LECTERN_CLIENT_TELEMETRY: 'off' })
    try {
      const person = await quiet.createPerson()
      await callOverRest(quiet, person, 'report_agents', machine)
      expect((await machinesOf(person, quiet))[0]).toMatchObject({ hostname: null, os: null, cliVersion: '1.2.3' })
      const row = await quiet.running.opened.database.db.collection('machines').findOne({ accountId: person.id })
      expect(row).toMatchObject({ hostname: null, os: null })
    } finally {
      await quiet.close()
    }
  })

  const agent = machine.agents[0]
  test.for([
    ['no machineId', { machineId: undefined }, /^machineId is required/],
    ['a machineId of 7 characters', { machineId: '1234567' }, /^machineId must be at least 8/],
    ['a machineId of 65 characters', { machineId: 'x'.repeat(65) }, /^machineId must be at most 64/],
    ['a hostname of 256 characters', { hostname: 'x'.repeat(256) }, /^hostname must be at most 255/],
    ['an unknown system', { os: 'plan9' }, /^os must be one of macos, linux, windows/],
    ['a cliVersion of 41 characters', { cliVersion: 'x'.repeat(41) }, /^cliVersion must be at most 40/],
    ['no agents', { agents: undefined }, /^agents is required/],
    ['15 agents', { agents: Array.from({ length: 15 }, () => agent) }, /^agents must be at most 14/],
    ['an agent without a name', { agents: [{ ...agent, name: '' }] }, /^agents.0.name/],
    ['an agent without detected', { agents: [{ ...agent, detected: undefined }] }, /^agents.0.detected is required/],
    ['an unknown installType', { agents: [{ ...agent, installType: 'magic' }] }, /^agents.0.installType/],
  ] as const)('refuses %s', async ([, change, says]) => {
    const answer = await callOverRest(server, await server.createPerson(), 'report_agents', { ...machine, ...change })
    expectRefusal(answer, 'rest', { status: 400, message: says })
  })

  test.for([
    ['8 characters', { machineId: '12345678' }],
    ['64 characters', { machineId: 'x'.repeat(64) }],
    [
      '14 agents and nulls',
      { agents: Array.from({ length: 14 }, () => agent), hostname: null, os: null, cliVersion: null },
    ],
  ] as const)('accepts %s', async ([, change]) => {
    expect(
      (await callOverRest(server, await server.createPerson(), 'report_agents', { ...machine, ...change })).status,
    ).toBe(200)
  })
})
