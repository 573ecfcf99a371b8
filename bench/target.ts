// A server under load in a separate process: one of `servers` by name. On request it reports its CPU time and memory.
import { createMcpHandler, McpServer, Server } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { z } from 'zod'
import { rateLimits, type RateBucket } from '../src/accounts/rate-limiter.ts'
import { readConfig } from '../src/app/config.ts'
import { createLog } from '../src/app/log.ts'
import { listTools } from '../src/mcp/list-tools.ts'
import { listen } from '../src/app/http-server.ts'
import { startServer } from '../src/app/start.ts'
import { tools } from '../tools/index.ts'

/** No rate limits, because the benchmark measures calls that succeed. */
const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e9])) as Record<
  RateBucket,
  number
>

/** The response of the baselines: the bytes that Lectern returned, set by a PUT. */
let answer = { text: '', result: {} }

const servers = {
  lectern: () => startServer(readConfig(process.env), createLog('silent'), { rateLimits: unlimited }),
  /** With rate limits. */
  lecternWithLimits: () => startServer(readConfig(process.env), createLog('silent')),
  /** Reads a JSON body and sends the bytes. */
  hono() {
    const app = new Hono()
    app.post('*', async (c) => {
      await c.req.json()
      return c.body(answer.text, 200, { 'Content-Type': 'application/json' })
    })
    return serve(app.fetch)
  },
  /** The server of the SDK's documentation with the measured tool, which returns the result. */
  sdk() {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'bare', version: '1' })
      server.registerTool('read_items', { inputSchema: z.looseObject({}) }, () => answer.result as { content: [] })
      return server
    })
    return serve((request) => handler.fetch(request))
  },
  /** The same with all of Lectern's tools, whose schemas the SDK converts. */
  sdkTools() {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'bare', version: '1' })
      for (const { name, title, description, input, output, annotations, mcp } of tools) {
        if (mcp === false) continue
        const outputSchema = mcp.result ? {} : { outputSchema: output }
        const config = { title, description, inputSchema: input, annotations, ...outputSchema }
        server.registerTool(name, config, () => answer.result as { content: [] })
      }
      return server
    })
    return serve((request) => handler.fetch(request))
  },
  /** The SDK with everything prepared: its low-level server, the converted list, no schema validation. */
  sdkPrepared() {
    const listed = listTools(tools)
    const handler = createMcpHandler(() => {
      const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({ tools: listed }))
      server.setRequestHandler('tools/call', () => answer.result as { content: [] })
      return server
    })
    return serve((request) => handler.fetch(request))
  },
}

/** The servers that respond with the given bytes. */
export type ServerKind = keyof typeof servers

function serve(fetch: (request: Request) => Response | Promise<Response>) {
  return listen({
    host: '127.0.0.1',
    port: Number(process.env['PORT']),
    async fetch(request) {
      if (request.method !== 'PUT') return fetch(request)
      const text = await request.text()
      answer = { text, result: (JSON.parse(text) as { result?: object }).result ?? {} }
      return new Response('ok')
    },
  })
}

await servers[process.argv[2] as ServerKind]()
process.on('message', () => process.send?.({ ...process.cpuUsage(), rss: process.memoryUsage.rss() }))
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
