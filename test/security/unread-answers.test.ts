import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../src/app/http-server.ts'

/** Larger than the buffers of the system. */
const largeAnswer = Buffer.alloc(30_000_000)
const shortMs = 200

async function startServer(fetch: () => Response | Promise<Response>, unreadAnswerMs = shortMs) {
  const onClosed = vi.fn<(reason: string) => void>()
  const connections = { max: 100, maxPerAddress: null }
  const limits = { connections, bodyTimeLimitMs: () => 60_000, unreadAnswerMs, onClosed }
  const http = await listen({ host: '127.0.0.1', port: 0, fetch, limits })
  onTestFinished(() => http.drain(0))
  return { port: http.port, onClosed }
}

/** A client that sends requests and reads nothing until it is resumed. */
async function connectPaused(port: number, requests = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: lectern.example\r\n\r\n'.repeat(requests))
  return socket
}

test('an answer of which the client reads nothing ends its connection', async () => {
  const { port, onClosed } = await startServer(() => new Response(largeAnswer))
  await connectPaused(port)
  await vi.waitUntil(() => onClosed.mock.calls.length > 0, { timeout: 20_000 })
  expect(onClosed.mock.calls).toEqual([['unread_answer']])
})

test('an answer that takes longer than the limit to prepare is sent', async () => {
  const answer = Promise.withResolvers<Response>()
  const { port, onClosed } = await startServer(() => answer.promise)
  const socket = await connectPaused(port)
  await delay(shortMs * 4)
  answer.resolve(new Response('whole'))
  const [bytes] = await once(socket.resume(), 'data')
  expect(String(bytes)).toContain('HTTP/1.1 200')
  expect(onClosed).not.toHaveBeenCalled()
})

test('an answer that the client reads slowly arrives completely', { timeout: 120_000 }, async () => {
  const { port, onClosed } = await startServer(() => new Response(largeAnswer), 2000)
  const socket = await connectPaused(port)
  let received = 0
  socket.on('data', (bytes) => {
    received += bytes.length
    socket.pause()
    setTimeout(() => socket.resume(), 8)
  })
  socket.resume()
  await vi.waitUntil(() => received > largeAnswer.length, { timeout: 100_000 })
  expect(onClosed).not.toHaveBeenCalled()
})

test('of pipelined requests, the next is handled when the answer to the previous one has been sent', async () => {
  const fetch = vi.fn(() => new Response(largeAnswer))
  const { port } = await startServer(fetch)
  const socket = await connectPaused(port, 3)
  await vi.waitUntil(() => fetch.mock.calls.length > 0)
  await delay(shortMs / 2)
  expect(fetch).toHaveBeenCalledTimes(1)
  socket.resume()
  await vi.waitUntil(() => fetch.mock.calls.length === 3, { timeout: 20_000 })
})
