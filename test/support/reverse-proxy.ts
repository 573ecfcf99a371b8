import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProbeResponse } from '../../src/admin/doctor/deployment/probe.ts'

/** How a proxy modifies requests and responses. */
export interface ProxyOverrides {
  /** Responds in place of the server. */
  answer?(path: string, method: string): { status: number; headers?: Record<string, string>; text?: string } | null
  /** Modifies the headers of a request. */
  request?(headers: Headers, path: string): void
  /** Modifies a response. */
  response?(answer: PassingResponse, path: string, asked: Headers): void
}

/** A response that passes the proxy. */
export interface PassingResponse extends Omit<ProbeResponse, 'json'> {
  /** Sets the body to JSON. */
  setJson(json: unknown): void
}

export interface ReverseProxy {
  url: string
  /** The target of requests; set when the server behind it is up. */
  target: string
  overrides: ProxyOverrides
  close(): Promise<void>
}

/** A proxy in front of a server that forwards everything, except for a test's modifications. */
export async function startReverseProxy(): Promise<ReverseProxy> {
  const listener = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const { answer, request: changeRequest, response: changeResponse } = proxy.overrides
    const override = answer?.(path, request.method ?? 'GET')
    if (override) {
      response.writeHead(override.status, override.headers).end(override.text ?? '')
      return
    }
    const headers = new Headers(request.headers as Record<string, string>)
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) headers.delete(name)
    const originalHeaders = new Headers(headers)
    changeRequest?.(headers, path)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = parts.length === 0 ? null : Buffer.concat(parts)
    const upstream = await fetch(proxy.target + path, {
      method: request.method ?? 'GET',
      headers,
      body,
      redirect: 'manual',
    })
    const passing: PassingResponse = {
      status: upstream.status,
      headers: new Headers(upstream.headers),
      text: await upstream.text(),
      setJson(json) {
        passing.text = JSON.stringify(json)
      },
    }
    for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) passing.headers.delete(name)
    changeResponse?.(passing, path, originalHeaders)
    response.writeHead(passing.status, [...passing.headers].flat()).end(passing.text)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const proxy: ReverseProxy = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    target: '',
    overrides: {},
    async close() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return proxy
}
