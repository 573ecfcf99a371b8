// A separate process in its own mount namespace, started by full-disk.test.ts: a server on a disk of 24 MB, which it fills. Prints what
// callers get.
import { rm, writeFile } from 'node:fs/promises'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { readConfig } from '../../src/app/config.ts'
import { healthChecksOf } from '../../src/app/health.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer } from '../../src/app/start.ts'
import { runHealthChecks } from '../../src/health/check.ts'

const directory = process.argv[2] ?? ''
const data = `${directory}/data`
const config = readConfig({ PORT: '0', LECTERN_DATA_DIR: data, LECTERN_ROLE: 'web', LECTERN_LOG_LEVEL: 'silent' })
const log = createLog(config.logLevel)

let running = await startServer(config, log)
const { services } = running.opened
const account = await createAccount(services, { email: 'a@lectern.example' }, { emailProven: true })
const { key } = await createApiKey(services, account.id, {})
const headers = {
  Authorization: `Bearer ${key}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
}

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const url = `http://127.0.0.1:${running.port}/api/v1${path}`
  const answer = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : null })
  return { status: answer.status, text: await answer.text() }
}

/** `ok`, or the code of the refusal. */
async function callTool(name: string, input: object): Promise<string> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
  const { text } = await send('POST', '/mcp', request)
  if (!text.includes('"isError":true')) return 'ok'
  return /\b[A-Z]+_[A-Z]+\b/.exec(text)?.[0] ?? 'internal error'
}

const content = '# One\n\nwhales\n'
const created = await send('POST', '/items/markdown', { title: 'Whales', content })
const { id } = JSON.parse(created.text) as { id: string }

// Uses the last block, too.
const filler = `${directory}/filler`
await writeFile(filler, Buffer.alloc(30_000_000)).catch(() => undefined)
const write = () => send('POST', '/items/markdown', { title: 'More', content: `${content}${'x'.repeat(200_000)}` })
const reads = [
  () => send('GET', `/items/${id}/content`),
  () => send('GET', '/items'),
  () => send('GET', '/auth/whoami'),
  () => send('POST', '/items/batch', { items: [{ id, pages: '1' }] }),
]
// The first writes may still find space in files that exist.
while ((await write()).status === 201);
const refusal = JSON.parse((await write()).text) as { code?: string }
// Reads that the store runs together with writes.
const answers = await Promise.all([...reads, ...reads, ...reads].flatMap((read) => [read(), write()]))
const tools = {
  read: await callTool('read_items', { items: [{ id }] }),
  search: await callTool('search_items', { query: 'whales' }),
  summary: await callTool('library_summary', {}),
  write: await callTool('create_markdown_item', { title: 'More', content }),
}
const parts = await runHealthChecks(healthChecksOf(config, running.opened, null))
await running.stop()

await rm(filler)
running = await startServer(config, log)
const later = { read: (await send('GET', `/items/${id}/content`)).status, write: (await write()).status }
await running.stop()

const statuses = (of: typeof answers) => [...new Set(of.map(({ status }) => status))]
process.stdout.write(
  JSON.stringify({
    refusal: refusal.code,
    reads: statuses(answers.filter((_, at) => at % 2 === 0)),
    writes: statuses(answers.filter((_, at) => at % 2 === 1)),
    tools,
    unwell: parts.filter(({ ok }) => !ok).map(({ name, remedy }) => `${name}: ${remedy}`),
    later,
  }),
)
process.exit()
