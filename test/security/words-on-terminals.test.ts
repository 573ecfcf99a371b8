import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawZip } from '../support/raw-zip.ts'
import { runClientCommand } from '../support/run-client.ts'

/** Clears the screen, sets the clipboard, and hides what follows. */
const controls = '\u001b[2J\u001b]52;c;cm0=\u0007\u009b8m\u202e'
const words = `Whales${controls} swim`

const answers: Record<string, [status: number, body: object]> = {
  '/api/v1/auth/whoami': [200, { email: `${words}@example.com` }],
  '/api/v1/items': [200, { items: [] }],
  '/api/v1/account/export': [403, { error: words, code: 'FORBIDDEN' }],
}
const server = createServer((request, response) => {
  const [status, body] = answers[request.url ?? ''] ?? [200, { shelves: [], manuscripts: [] }]
  request.resume()
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
})
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true, force: true })
})

const run = (args: string[], columns?: number) =>
  runClientCommand([...args, '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`], {
    environment: { LECTERN_KEY: 'k', NO_COLOR: '1' },
    folder,
    homeFolder: folder,
    ...(columns === undefined ? {} : { columns }),
  })

const book = {
  id: 'b',
  title: words,
  author: null,
  description: null,
  sourceType: 'pdf',
  fileFormat: null,
  enrichmentConfidence: 0,
  prompts: [],
  sampleQuestion: null,
  outcomes: [],
  outline: { givenByYou: false, entries: [] },
  original: { path: null, filename: 'w.pdf', sha256: null },
  text: null,
  versions: [],
}

/** An export of somebody else. */
async function writeExport(name: string) {
  const entries = { 'books/b/book.json': JSON.stringify(book), 'shelves.json': '[]', 'manuscripts.json': '[]' }
  const files = Object.entries(entries).map(([path, text]) => {
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { path, bytes: Buffer.byteLength(text), sha256 }
  })
  const manifest = JSON.stringify({ format: 'lectern-export', formatVersion: 1, counts: {}, files })
  const all = Object.entries({ ...entries, 'manifest.json': manifest })
  const zip = rawZip(all.map(([path, text]) => ({ name: path, data: Buffer.from(text) })))
  await writeFile(join(folder, name), zip)
}

test.each([
  ['the address of an account', ['login', '--key', 'k']],
  ['the refusal of a server', ['export', '--to', 'x.zip']],
])('%s cannot control a terminal', async (_, args) => {
  const { stderr } = await run(args)
  expect(stderr).toContain('Whales')
  expect(stderr).not.toMatch(/[[\p{Cc}\u202e]--\n]/v)
})

test.each([
  ['a pipe', undefined],
  ['a terminal', 200],
])('titles of an export cannot control %s', async (_, columns) => {
  await writeExport('theirs.zip')
  const { stderr } = await run(['import-export', 'theirs.zip'], columns)
  expect(stderr).toMatch(/Whales.* swim: the export contains neither its file nor its text/)
  expect(stderr.replaceAll('\r\u001b[K', '')).not.toMatch(/[[\p{Cc}\u202e]--\n]/v)
})
