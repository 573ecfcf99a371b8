import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Seen } from '../../src/admin/doctor/deployment/probe.ts'

/** What a proxy makes of the requests and answers that pass it. */
export interface Meddling {
  /** Answers in place of the server. */
  answer?(path: string, method: string): { status: number; headers?: Record<string, string>; text?: string } | null
  /** Changes the headers of a request. */
  request?(headers: Headers, path: string): void
  /** Changes an answer. */
  response?(answer: Passing, path: string, asked: Headers): void
}

/** An answer on its way through. */
export interface Passing extends Omit<Seen, 'json'> {
  /** Sets the body, as JSON. */
  put(json: unknown): void
}

export interface ReverseProxy {
  url: string
  /** Where requests go; set when the server behind it is up. */
  target: string
  meddling: Meddling
  close(): Promise<void>
}

/** A proxy in front of a server that passes everything on, apart from what a test has it do. */
export async function startReverseProxy(): Promise<ReverseProxy> {
  const listener = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const { answer, request: change, response: alter } = proxy.meddling
    const own = answer?.(path, request.method ?? 'GET')
    if (own) {
      response.writeHead(own.status, own.headers).end(own.text ?? '')
      return
    }
    const headers = new Headers(request.headers as Record<string, string>)
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) headers.delete(name)
    const asked = new Headers(headers)
    change?.(headers, path)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = parts.length === 0 ? null : Buffer.concat(parts)
    const got = await fetch(proxy.target + path, { method: request.method ?? 'GET', headers, body, redirect: 'manual' })
    const passing: Passing = {
      status: got.status,
      headers: new Headers(got.headers),
      text: await got.text(),
      put(json) {
        passing.text = JSON.stringify(json)
      },
    }
    for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) passing.headers.delete(name)
    alter?.(passing, path, asked)
    response.writeHead(passing.status, [...passing.headers].flat()).end(passing.text)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const proxy: ReverseProxy = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    target: '',
    meddling: {},
    async close() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return proxy
}
