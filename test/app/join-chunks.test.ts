import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/app/http-server.ts'

/** Sends a body in these chunks; returns it as the server received it, and in how many pieces. */
async function receive(chunks: readonly string[]): Promise<{ pieces: number; body: string }> {
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const pieces: Uint8Array[] = []
      for await (const piece of request.body ?? []) pieces.push(piece)
      return Response.json({ pieces: pieces.length, body: Buffer.concat(pieces).toString() })
    },
  })
  onTestFinished(() => server.drain(0))
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = 'POST / HTTP/1.1\r\nHost: lectern.example\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
  const encoded = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)
  socket.end(`${head}${encoded.join('')}0\r\n\r\n`)
  const answer = await text(socket)
  return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as { pieces: number; body: string }
}

test('the small chunks of a body are joined', async () => {
  const chunks = Array.from({ length: 200_000 }, (_, n) => String(n % 10))
  const { pieces, body } = await receive(chunks)
  expect(body).toBe(chunks.join(''))
  expect(pieces).toBeLessThan(2000)
})

test('small and large chunks stay in their order', async () => {
  const chunks = ['a', 'b'.repeat(5000), 'c', 'd', 'e'.repeat(100_000), 'f', 'g'.repeat(4096), 'h'.repeat(4096)]
  const mixed = Array.from({ length: 30 }, () => chunks).flat()
  expect((await receive(mixed)).body).toBe(mixed.join(''))
})
