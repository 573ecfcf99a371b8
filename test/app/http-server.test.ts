import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { bindServer, listen } from '../../src/app/http-server.ts'

/** Longer than any test takes. */
const patienceMs = 10 * 60_000

async function startSlow() {
  const answer = Promise.withResolvers<Response>()
  const arrived = Promise.withResolvers<void>()
  const fetch = () => {
    arrived.resolve()
    return answer.promise
  }
  const http = await listen({ host: '127.0.0.1', port: 0, fetch })
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const asked = request({ host: '127.0.0.1', port: http.port, agent }).end()
  const response = once(asked, 'response') as Promise<[IncomingMessage]>
  await arrived.promise
  return { http, response, answer }
}

test('a stopping server waits for running requests, not for keep-alive connections', async () => {
  const { http, response, answer } = await startSlow()
  let drained = false
  const ended = http.drain(patienceMs).then(() => (drained = true))
  await delay(200)
  expect(drained).toBe(false)
  answer.resolve(new Response('whole'))
  const [incoming] = await response
  expect((await incoming.setEncoding('utf8').toArray()).join('')).toBe('whole')
  await ended
})

test.for([
  ['sends its body at once', {}],
  ['asks before it sends its body', { expect: '100-continue' }],
] as const)('a stopping server waits for an upload whose client %s', async ([, headers]) => {
  const arrived = Promise.withResolvers<void>()
  const fetch = async ({ body }: Request) => {
    const reader = body?.getReader()
    await reader?.read()
    arrived.resolve()
    while (!(await reader?.read())?.done);
    return new Response('stored')
  }
  const http = await listen({ host: '127.0.0.1', port: 0, fetch })
  const upload = request({ host: '127.0.0.1', port: http.port, method: 'PUT', headers })
  const response = once(upload, 'response') as Promise<[IncomingMessage]>
  upload.write('first half, ')
  await arrived.promise
  const ended = http.drain(patienceMs)
  // Until connections without a request have been closed.
  await delay(700)
  upload.end('second half')
  const [incoming] = await response
  expect((await incoming.setEncoding('utf8').toArray()).join('')).toBe('stored')
  await ended
})

test('a stopping server does not wait for connections without a request', async () => {
  const http = await listen({ host: '127.0.0.1', port: 0, fetch: () => new Response('whole') })
  const unused = connect(http.port, '127.0.0.1')
  await once(unused, 'connect')
  await delay(50)
  const closed = once(unused, 'close')
  await http.drain(patienceMs)
  await closed
})

test('a stopping server closes requests that exceed the drain timeout', async () => {
  const { http, response } = await startSlow()
  const refused = expect(response).rejects.toThrow(/socket hang up|ECONNRESET/)
  await http.drain(50)
  await refused
})

test('requests that arrive during startup are answered after it', async () => {
  const http = await bindServer({ host: '127.0.0.1', port: 0 })
  const answer = fetch(`http://127.0.0.1:${http.port}/`)
  await delay(50)
  http.serve({ fetch: () => new Response('whole') })
  expect(await (await answer).text()).toBe('whole')
  await http.drain(patienceMs)
})
