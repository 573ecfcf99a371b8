import { request } from 'node:http'
import { connect } from 'node:net'
import type { TestServer } from './server.ts'

/**
 * Sends these bytes over a socket; returns the response once its body is complete or the server closes the connection.
 */
export async function sendBytes(server: TestServer, text: string): Promise<string> {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  try {
    return await new Promise<string>((resolve, reject) => {
      let answer = ''
      socket.setEncoding('utf8')
      socket.on('data', (chunk: string) => {
        answer += chunk
        if (/\r\n\r\n.*\}/s.test(answer)) resolve(answer)
      })
      socket.on('end', () => resolve(answer))
      socket.on('error', reject)
      socket.write(text)
    })
  } finally {
    socket.destroy()
  }
}

interface Streamed {
  status: number
  body: string
  /** Number of bytes sent before the response arrived. */
  sent: number
}

/** Posts a body without a declared length, chunk by chunk, until the server responds or `pieces` have been sent. */
export function sendChunks(
  server: TestServer,
  key: string,
  { path, piece, pieces }: { path: string; piece: Buffer; pieces: number },
): Promise<Streamed> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const outgoing = request(`${server.baseUrl}${path}`, { method: 'POST', headers })
    let sent = 0
    let answered = false
    outgoing.on('response', (response) => {
      answered = true
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => (body += text))
      response.on('end', () => {
        outgoing.destroy()
        resolve({ status: response.statusCode ?? 0, body, sent })
      })
    })
    // Writes after the response may fail, because the server has closed the connection.
    outgoing.on('error', (error) => answered || reject(error))
    const write = (left: number): void => {
      if (answered) return
      if (left === 0) return void outgoing.end()
      sent += piece.length
      outgoing.write(piece, () => setImmediate(write, left - 1))
    }
    write(pieces)
  })
}
