import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'

/** A fault of the network or the store in one request. */
export type Fault =
  | 'pass'
  | 'error 500'
  | 'error 503'
  | 'gateway page' // a 502 in HTML, as a load balancer answers
  | 'reset before' // the request never reaches the store
  | 'reset after' // the store has carried out the request, but the answer is lost
  | 'reset in body'
  | 'truncated body'
  | 'stalled head'
  | 'stalled body'
  | 'stalled upload' // the store does not read the request

export interface FaultProxy {
  url: string
  /** Decides the fault of each request; `pass` for all until set. */
  chooseFault: (request: IncomingMessage) => Fault
  /** The requests so far, as `METHOD fault`. */
  requests: string[]
  close(): Promise<void>
}

/**
 * A proxy on loopback that forwards requests unchanged, so that signatures stay valid, and applies the faults of
 * `plan`.
 */
export async function openFaultProxy(target: string): Promise<FaultProxy> {
  const proxy: Omit<FaultProxy, 'url' | 'close'> = { chooseFault: () => 'pass', requests: [] }
  const server = createServer((incoming, outgoing) => {
    const fault = proxy.chooseFault(incoming)
    proxy.requests.push(`${incoming.method} ${fault}`)
    incoming.on('error', () => {})
    void answerWithFault(fault, { incoming, outgoing, target }).catch(() => outgoing.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  })
}

interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
  target: string
}

async function answerWithFault(fault: Fault, { incoming, outgoing, target }: Exchange): Promise<void> {
  if (fault === 'stalled upload') return
  if (fault === 'reset before') return void incoming.socket.resetAndDestroy()
  if (fault === 'error 500' || fault === 'error 503' || fault === 'gateway page') {
    incoming.resume()
    await finished(incoming, { writable: false })
    return answerError(fault, outgoing)
  }
  const reply = await forward(incoming, target)
  const body = Buffer.concat(await reply.toArray())
  if (fault === 'stalled head') return
  if (fault === 'reset after') return void incoming.socket.resetAndDestroy()
  // A broken connection is not reused, or the next request would fail with it.
  const connection = fault === 'pass' ? [] : ['connection', 'close']
  outgoing.writeHead(reply.statusCode ?? 502, [...reply.rawHeaders, ...connection])
  if (fault === 'pass') return void outgoing.end(body)
  const half = body.subarray(0, Math.floor(body.length / 2))
  await new Promise((written) => outgoing.write(half, written))
  if (fault === 'reset in body') incoming.socket.resetAndDestroy()
  if (fault === 'truncated body') incoming.socket.end()
}

function answerError(fault: 'error 500' | 'error 503' | 'gateway page', outgoing: ServerResponse): void {
  if (fault === 'gateway page') {
    outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>Bad Gateway</h1></html>')
    return
  }
  const code = fault === 'error 500' ? 'InternalError' : 'ServiceUnavailable'
  outgoing
    .writeHead(Number(fault.slice(-3)), { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Try again</Message></Error>`)
}

function forward(incoming: IncomingMessage, target: string): Promise<IncomingMessage> {
  return new Promise((answered, failed) => {
    const { hostname, port } = new URL(target)
    const { method, url: path, rawHeaders: headers } = incoming
    const outgoing = request({ hostname, port, method, path, headers: [...headers], agent: false }, answered)
    outgoing.on('error', failed)
    if (headers.some((header) => header.toLowerCase() === '100-continue')) outgoing.flushHeaders()
    incoming.pipe(outgoing)
  })
}
