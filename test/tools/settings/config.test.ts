import { describe, expect, test } from 'vitest'
import { send } from '../../support/transports.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer()

const agentsPath = '/api/v1/user/config/agents'

describe('get_config and update_config', () => {
  test('unset settings are omitted; each change increases the version, a repeat does not', async () => {
    const person = await server.createPerson()
    expect((await callOverRest(server, person, 'get_config')).body).toEqual({ config: { skill: {} }, configVersion: 0 })
    expect((await callOverRest(server, person, 'update_config', { planMode: 'smart' })).body).toEqual({
      configVersion: 1,
    })
    expect((await callOverRest(server, person, 'update_config', { planMode: 'smart' })).body).toEqual({
      configVersion: 1,
    })
    expect((await callOverRest(server, person, 'update_config', { citationBlock: 'off' })).body).toEqual({
      configVersion: 2,
    })
    expect((await callOverRest(server, person, 'update_config', {})).body).toEqual({ configVersion: 2 })
    expect((await callOverRest(server, person, 'get_config')).body).toEqual({
      config: { skill: { planMode: 'smart', citationBlock: 'off' } },
      configVersion: 2,
    })
  })

  test('settings are separate for each account', async () => {
    const [one, other] = [await server.createPerson(), await server.createPerson()]
    await callOverRest(server, one, 'update_config', { planMode: 'off' })
    expect((await callOverRest(server, other, 'get_config')).body).toEqual({ config: { skill: {} }, configVersion: 0 })
  })

  test('20 parallel changes increase the version once each', async () => {
    const person = await server.createPerson()
    const modes = ['always', 'smart', 'ask', 'off']
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => callOverRest(server, person, 'update_config', { planMode: modes[i % 4] })),
    )
    const { configVersion, config } = (await callOverRest(server, person, 'get_config')).body
    expect(modes).toContain(config.skill.planMode)
    expect(configVersion).toBeGreaterThanOrEqual(4)
    expect(configVersion).toBeLessThanOrEqual(20)
  })

  test.for([
    ['an unknown value', { planMode: 'sometimes' }, /^planMode must be one of always, smart, ask, off/],
    ['an unknown key', { planmode: 'off' }, /^planmode: unknown field/],
    ['a wrong type', { citationBlock: 1 }, /^citationBlock/],
  ] as const)('refuses %s with a message that starts with the field', async ([, body, says]) => {
    const answer = await callOverRest(server, await server.createPerson(), 'update_config', body)
    expectRefusal(answer, 'rest', { status: 400, message: says })
  })

  test.for([
    ['malformed JSON', '{'],
    ['an array', '[]'],
  ] as const)('refuses %s as Invalid JSON body', async ([, body]) => {
    const { key } = await server.createPerson()
    const answer = await send(server, key, { method: 'PATCH', path: '/api/v1/user/config', body })
    expectRefusal(answer, 'rest', { status: 400, message: /^Invalid JSON body/ })
  })
})

describe('switch_agent', () => {
  test('switches an agent off and on again; a repeat changes nothing', async () => {
    const person = await server.createPerson()
    const off = { op: 'disable', agent: 'cursor' }
    const on = { op: 'enable', agent: 'cursor' }
    expect((await callOverRest(server, person, 'switch_agent', on)).body).toEqual({
      disabled: [],
      configVersion: 0,
      changed: false,
    })
    const disabled = { disabled: ['cursor'], configVersion: 1 }
    expect((await callOverRest(server, person, 'switch_agent', off)).body).toEqual({ ...disabled, changed: true })
    expect((await callOverRest(server, person, 'switch_agent', off)).body).toEqual({ ...disabled, changed: false })
    expect((await callOverRest(server, person, 'switch_agent', on)).body).toEqual({
      disabled: [],
      configVersion: 2,
      changed: true,
    })
  })

  test.for([
    ['without op', { agent: 'cursor' }, { status: 400, message: /^op/ }],
    ['without agent', { op: 'enable' }, { status: 400, message: /^agent is required/ }],
    ['an unknown op', { op: 'pause', agent: 'cursor' }, { status: 400, message: /^op must be one of disable, enable/ }],
    [
      'an unknown agent',
      { op: 'enable', agent: 'clippy' },
      { status: 400, code: 'UNKNOWN_AGENT', message: /claude-code, cursor, github-copilot, gemini-cli, codex, grok/ },
    ],
    ['a huge body', { op: 'enable', agent: 'x'.repeat(20_000) }, { status: 413, message: /^Request body too large/ }],
  ] as const)('refuses %s', async ([, body, refusal]) => {
    expectRefusal(await callOverRest(server, await server.createPerson(), 'switch_agent', body), 'rest', refusal)
  })

  test('refuses OAuth tokens with INSUFFICIENT_SCOPE, as all agent routes do', async () => {
    for (const [method, path] of [
      ['PATCH', agentsPath],
      ['PUT', '/api/v1/user/agents'],
      ['GET', '/api/v1/user/agents'],
    ] as const) {
      const answer = await send(server, 'ck_oauth_0123456789', {
        method,
        path,
        body: method === 'GET' ? undefined : {},
      })
      expectRefusal(answer, 'rest', { status: 403, code: 'INSUFFICIENT_SCOPE', message: /use an API key/ })
    }
  })

  test('the 21st call of a minute is refused', async () => {
    const person = await server.createPerson()
    for (let i = 0; i < 20; i++) {
      expect((await callOverRest(server, person, 'switch_agent', { op: 'enable', agent: 'grok' })).status).toBe(200)
    }
    const answer = await callOverRest(server, person, 'switch_agent', { op: 'enable', agent: 'grok' })
    expectRefusal(answer, 'rest', { status: 429, code: 'RATE_LIMITED', message: /retry in \d+s/ })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
