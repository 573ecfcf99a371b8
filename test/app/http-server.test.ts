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
