// One server under load, in a process of its own: a name of `servers`. Answers with its CPU time and its memory when it is asked.
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

/** The figures are those of calls that pass. */
const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e9])) as Record<
  RateBucket,
  number
>

/** What the baselines answer with: the bytes that Lectern answered with, set by a PUT. */
let answer = { text: '', result: {} }

const servers = {
  lectern: () => startServer(readConfig(process.env), createLog('silent'), { rateLimits: unlimited }),
  /** With its limits. */
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
  /** The server of the SDK's manual with the one tool that is called, which gives back the result. */
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
  /** What the SDK can do with everything prepared: its low-level server, the converted list, no schema to check. */
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

/** The kinds of servers that answer with what they were given. */
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
