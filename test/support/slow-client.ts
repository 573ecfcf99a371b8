import { connect, type Socket } from 'node:net'
import type { TestServer } from './server.ts'

export interface SlowClient {
  socket: Socket
  /** The server's output until it closed the connection, and the time until then in ms. */
  ended: Promise<{ answer: string; ms: number }>
}

/** Sends `head` at once, then one byte every `intervalMs`, until the server closes the connection or `count` are sent. */
export function dripBytes(
  { baseUrl }: Pick<TestServer, 'baseUrl'>,
  head: string,
  intervalMs: number,
  count = Infinity,
): SlowClient {
  const { hostname, port } = new URL(baseUrl)
  const started = performance.now()
  const socket = connect({ port: Number(port), host: hostname })
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  socket.on('error', () => {})
  socket.write(head)
  let left = count
  const timer = setInterval(() => socket.writable && left-- > 0 && socket.write('x'), intervalMs)
  const ended = new Promise<{ answer: string; ms: number }>((resolve) => {
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ answer, ms: performance.now() - started })
    })
  })
  return { socket, ended }
}
