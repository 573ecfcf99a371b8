import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { evaluate, type Result } from './evaluate.ts'
import { startFakeEndpoint, type FakeEndpoint, type Fault, type ModelInput, type Model } from './fake-endpoint.ts'
import { apis, liveAgent, type Api, type LiveOptions } from './live-agent.ts'
import type { Check } from './score-calls.ts'
import { tasks } from './tasks/index.ts'
import { checkReplay, readTranscripts, createReplayAgent, type Transcript } from './transcript.ts'

async function startEndpoint(model: Model, faults?: Fault[]): Promise<FakeEndpoint> {
  const fake = await startFakeEndpoint(model, faults)
  onTestFinished(() => fake.close())
  return fake
}

async function runLive(
  task: string,
  api: Api,
  options: Pick<LiveOptions, 'endpoint'> & Partial<LiveOptions>,
): Promise<Result> {
  const live = { api, model: 'fake', pauseMs: 1, ...options }
  const [result] = await evaluate(
    tasks.filter(({ id }) => id === task),
    { agentFor: () => liveAgent(live) },
  )
  if (!result) throw new Error(`There is no task ${task}`)
  return result
}

/** Returns the model's reply to a message of the user, without a server for its calls. */
function answerHello(api: Api, options: Pick<LiveOptions, 'endpoint'> & Partial<LiveOptions>): Promise<string> {
  const agent = liveAgent({ api, model: 'fake', initialBackoffMs: 1, ...options })
  return agent.answer('Hello', {
    tools: [],
    instructions: '',
    callTools: (calls) => Promise.resolve(calls.map(() => ({ text: ['done'], isError: false }))),
    resolvePlaceholders: (value) => value,
  })
}

/** Finds the id of a book in a result that the model received. */
function idOf({ results }: ModelInput, title: string): string {
  const found = results.flatMap(({ text }) => [...text.matchAll(/"id":"([a-z0-9]{26})","title":"([^"]+)"/g)])
  const [, id] = found.find(([, , name]) => name === title) ?? []
  if (id === undefined) throw new Error(`No result names ${title}`)
  return id
}

const answer = 'A lamp is replaced after 6,000 hours, because the arc wanders when it is old'

/** A model that makes two calls at once, reads pages, and answers with a citation. */
const reader: Model = (heard, step) => {
  if (step === 0) {
    const calls = [
      { name: 'library_summary', input: {} },
      { name: 'search_items', input: { query: 'lamp hours' } },
    ]
    return { text: 'Let me look.', calls }
  }
  if (step === 1) {
    const items = [{ id: idOf(heard, "The Keeper's Handbook"), pages: '5' }]
    return { calls: [{ name: 'read_items', input: { items } }] }
  }
  return { text: `${answer} (The Keeper's Handbook, p. 5).` }
}

const failedChecks = ({ checks }: Result): Check[] => checks.filter(({ ok }) => !ok)

describe.for(apis)('a model behind an endpoint of the kind %s', (api) => {
  test('performs a task with parallel calls; it gets the tools and the instructions of the server', async () => {
    const fake = await startEndpoint(reader)
    const result = await runLive('one-fact', api, { endpoint: fake.url, key: 'sesame' })
    expect(failedChecks(result)).toEqual([])
    expect(result.run.turns[0]?.rounds.map((round) => round.length)).toEqual([2, 1])
    expect(result.run.turns[0]?.answer).not.toContain('Let me look')
    const [{ headers, body, path }] = fake.requests as [FakeEndpoint['requests'][0]]
    expect(path).toBe(api === 'anthropic' ? '/v1/messages' : '/v1/chat/completions')
    expect(api === 'anthropic' ? headers['x-api-key'] : headers.authorization).toMatch(/sesame$/)
    expect(JSON.stringify(body)).toContain('cite inline as (Book Title, p. N)')
    expect(JSON.stringify(body.tools)).toContain('check_citations')
  })

  test('continues the conversation over several turns', async () => {
    const fake = await startEndpoint((heard, step) => {
      if (step === 0) return { calls: [{ name: 'search_items', input: { query: 'recipes' } }] }
      if (step === 1) return { text: 'You mean Neighbourhood Recipes. Shall I delete it for good?' }
      if (step === 2)
        return { calls: [{ name: 'delete_items', input: { ids: [idOf(heard, 'Neighbourhood Recipes')] } }] }
      return { text: heard.userMessages.length === 2 ? 'It is deleted.' : 'Which one?' }
    })
    expect(failedChecks(await runLive('ask-before-a-book-goes', api, { endpoint: fake.url }))).toEqual([])
  })

  test('reads refusals and unknown tools as results', async () => {
    const told: string[] = []
    const fake = await startEndpoint(({ results }, step) => {
      told.push(...results.slice(told.length).map(({ text }) => text))
      if (step === 0) return { calls: [{ name: 'open_sesame', input: {} }] }
      if (step === 1) return { calls: [{ name: 'create_shelf', input: { title: 'Evening' } }] }
      return { text: 'I am not allowed to do that: the permission library:write is missing.' }
    })
    const result = await runLive('connection-may-only-read', api, { endpoint: fake.url })
    expect(told).toEqual([expect.stringMatching(/Unknown tool/), expect.stringMatching(/library:write/)])
    expect(failedChecks(result)).toEqual([])
  })

  test.for<[string, Fault]>([
    ['429 with Retry-After', { status: 429, headers: { 'Retry-After': '0' } }],
    ['500', { status: 500 }],
    ['529', { status: 529 }],
    ['a cut connection', 'disconnect'],
    ['an answer that is not JSON', { status: 200, body: '<html>' }],
  ])('%s is tried again', async ([, fault]) => {
    const fake = await startEndpoint(() => ({ text: 'Here I am.' }), [fault, fault])
    expect(await answerHello(api, { endpoint: fake.url })).toBe('Here I am.')
    expect(fake.requests.length).toBe(3)
  })

  test('a persistent failure ends the task after the last attempt', async () => {
    const faults = Array.from({ length: 10 }, () => ({ status: 503, body: 'busy' }))
    const fake = await startEndpoint(() => ({ text: 'Here I am.' }), faults)
    await expect(answerHello(api, { endpoint: fake.url, maxAttempts: 3 })).rejects.toThrow(/503: busy, 3 times/)
    expect(fake.requests.length).toBe(3)
  })

  test('a refused key fails the task at once', async () => {
    const fake = await startEndpoint(reader, [{ status: 401, body: 'who are you' }])
    const result = await runLive('one-fact', api, { endpoint: fake.url })
    expect(result.passed).toBe(false)
    expect(result.run.problem).toMatch(/EndpointError.*401: who are you/)
    expect(fake.requests.length).toBe(1)
  })

  test('a task without an answer ends at its step limit', async () => {
    const fake = await startEndpoint(() => ({ calls: [{ name: 'library_summary', input: {} }] }))
    await expect(answerHello(api, { endpoint: fake.url, maxSteps: 4 })).rejects.toThrow(/No answer after 4 steps/)
    expect(fake.requests.length).toBe(4)
  })

  test('a truncated answer does not count', async () => {
    const fake = await startEndpoint(() => ({ text: 'A lamp is', stop: api === 'anthropic' ? 'max_tokens' : 'length' }))
    await expect(answerHello(api, { endpoint: fake.url })).rejects.toThrow(/cut.*A lamp is/)
  })

  test('the text of a refusal by the model is its answer', async () => {
    const fake = await startEndpoint(() => ({
      text: 'I will not.',
      stop: api === 'anthropic' ? 'refusal' : 'content_filter',
    }))
    expect(await answerHello(api, { endpoint: fake.url })).toBe('I will not.')
  })
})

test('a paused turn is continued', async () => {
  const fake = await startEndpoint((_, step) => (step === 0 ? { text: 'One,', stop: 'pause_turn' } : { text: 'two.' }))
  expect(await answerHello('anthropic', { endpoint: fake.url })).toBe('One,\ntwo.')
})

test('invalid JSON arguments are returned to the model, together with valid calls', async () => {
  const told: string[] = []
  const fake = await startEndpoint(({ results }, step) => {
    told.push(...results.slice(told.length).map(({ text }) => text))
    if (step > 0) return { text: 'You are Ada Lovell, ada.lovell@lectern.example, and may not publish.' }
    return {
      calls: [
        { name: 'library_summary', input: '{"half":' },
        { name: 'whoami', input: '' },
      ],
    }
  })
  const result = await runLive('who-am-i', 'openai', { endpoint: fake.url })
  expect(told).toEqual([expect.stringMatching(/not a JSON object/), expect.stringMatching(/ada\.lovell/)])
  expect(failedChecks(result)).toEqual([])
})

describe('the command', () => {
  const command = promisify(execFile)
  const main = fileURLToPath(new URL('main.ts', import.meta.url))

  test('prints a table and JSON, and records transcripts that can be replayed', async () => {
    const fake = await startEndpoint(reader)
    const directory = await mkdtemp(join(tmpdir(), 'lectern-evaluation-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const live = ['--endpoint', fake.url, '--api', 'openai', '--model', 'fake-1', '--key-env', 'FAKE_KEY']
    const { stdout, stderr } = await command(
      process.execPath,
      [main, ...live, '--tasks', 'one-fact', '--record', directory],
      { env: { ...process.env, FAKE_KEY: 'sesame' } },
    )
    expect(JSON.parse(stdout)).toMatchObject({ agent: 'fake-1', passed: 1, tasks: [{ id: 'one-fact', calls: 3 }] })
    expect(stderr).toMatch(/one-fact +ok/)
    expect(stdout + stderr).not.toContain('sesame')
    const recorded = readTranscripts(directory).get('one-fact') as Transcript
    expect(recorded.agent).toBe('fake-1')
    const [again] = await evaluate(
      tasks.filter(({ id }) => id === 'one-fact'),
      { agentFor: () => createReplayAgent(recorded), extraChecks: (_, { turns }) => checkReplay(recorded, turns) },
    )
    expect(again?.checks.filter(({ ok }) => !ok)).toEqual([])
  })

  test.for([
    ['an unknown task', ['--tasks', 'nonsense'], 2, /no task nonsense/],
    ['half of an endpoint', ['--api', 'openai'], 2, /--endpoint, --api and --model/],
    [
      'a missing key',
      ['--endpoint', 'http://127.0.0.1:1/v1', '--api', 'openai', '--model', 'm', '--key-env', 'NO_SUCH_KEY'],
      2,
      /NO_SUCH_KEY is not set/,
    ],
  ] as const)('refuses %s', async ([, args, code, says]) => {
    const ended = await command(process.execPath, [main, ...args]).catch((error: unknown) => error)
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(says) })
  })
})
