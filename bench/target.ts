// One server under load, in a process of its own: `lectern`, `hono` or `sdk`. Answers with its CPU time when it is asked.
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { listTools } from '../src/mcp/catalogue.ts'
import { rateLimits, type RateBucket } from '../src/accounts/rate-store.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { listen } from '../src/server.ts'
import { startServer } from '../src/start.ts'
import { tools } from '../tools/index.ts'

const [kind = ''] = process.argv.slice(2)
/** The figures are those of calls that pass. */
const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e9])) as Record<
  RateBucket,
  number
>
const port = Number(process.env.PORT)

if (kind === 'lectern') await startServer(readConfig(process.env), createLog('silent'), { rateLimits: unlimited })
else await listen({ host: '127.0.0.1', port, fetch: kind === 'hono' ? bareHono() : bareSdk() })

/** Sends the bytes it was given, for any request. */
function bareHono() {
  let answer = ''
  const app = new Hono()
  app.put('/answer', async (c) => {
    answer = await c.req.text()
    return c.text('ok')
  })
  app.post('/answer', async (c) => {
    await c.req.json()
    return c.body(answer, 200, { 'Content-Type': 'application/json' })
  })
  return app.fetch
}

/** The SDK's own handler: the same tool list, and calls that give back the bytes they were given. */
function bareSdk() {
  const listed = listTools(tools)
  let answer: object = {}
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({ tools: listed }))
    server.setRequestHandler('tools/call', () => answer as { content: [] })
    return server
  })
  return async (request: Request) => {
    if (request.method !== 'PUT') return handler.fetch(request)
    answer = (await request.json()) as object
    return new Response('ok')
  }
}

process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
