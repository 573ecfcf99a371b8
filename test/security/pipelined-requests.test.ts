import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Sends requests on one connection without waiting for answers; returns the number of answers when it is closed. */
async function pipeline(count: number): Promise<number> {
  const { hostname, port, host } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  const request = (more: string) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`
  let text = ''
  socket.on('data', (data) => (text += data)).on('error', () => {})
  socket.write(request('').repeat(count - 1) + request('Connection: close\r\n'))
  await new Promise((resolve) => socket.once('close', resolve))
  return text.split('HTTP/1.1 200').length - 1
}

test('some pipelined requests are answered', async () => {
  expect(await pipeline(10)).toBe(10)
})

test('a connection with thousands of them is closed, and others are answered', async () => {
  expect(await pipeline(3000)).toBeLessThanOrEqual(16)
  expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200)
})
