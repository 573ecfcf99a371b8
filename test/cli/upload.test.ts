import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { createTemporaryFolder } from '../support/extraction.ts'
import { lecternCommand } from '../support/run-lectern.ts'
import { runClientCommand } from '../support/run-client.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const environment = () => ({ LECTERN_URL: server.baseUrl, LECTERN_KEY: person.key })

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await createTemporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

test('files become books; only their ids are on stdout', async () => {
  const folder = await folderWith({ 'soap.md': '# Soap\n\nFat and lye.\n', 'knots.md': '# Knots\n\nReef knots.\n' })
  const run = await runClientCommand(['upload', 'soap.md', 'knots.md'], { environment: environment(), folder })
  expect(run.stderr).toMatch(/^Sending soap\.md\nSending knots\.md\n/)
  expect(run.code).toBe(0)
  const ids = run.stdout.trim().split('\n')
  expect(ids).toHaveLength(2)
  const read = await runClientCommand(['read', ids[1] as string], { environment: environment() })
  expect(read.stdout).toContain('Reef knots.')
})

test('--json prints file, book and job', async () => {
  const folder = await folderWith({ 'candles.md': '# Candles\n\nWax.\n' })
  const run = await runClientCommand(['upload', 'candles.md', '--json'], { environment: environment(), folder })
  expect(run).toMatchObject({
    code: 0,
    json: { uploads: [{ file: 'candles.md', itemId: expect.any(String), job: { status: 'SUCCEEDED' } }] },
  })
})

test('on a terminal a bar shows the sent share', async () => {
  const folder = await folderWith({ 'long.md': '# Long\n\nWords.\n' })
  const run = await runClientCommand(['upload', 'long.md'], { environment: environment(), folder, columns: 80 })
  expect(run.stderr).toContain(`\r\u001B[KSending long.md  ${'█'.repeat(24)} 100 %`)
  expect(run.stderr.endsWith('\r\u001B[K')).toBe(true)
})

test('a failed import is a failure of the command', async () => {
  const folder = await folderWith({ 'broken.epub': 'PK\u0003\u0004 this is no archive' })
  const run = await runClientCommand(['upload', 'broken.epub'], { environment: environment(), folder })
  expect(run.code).toBe(1)
  expect(run.stderr).toMatch(/broken\.epub/)
})

test.for<[string[], RegExp]>([
  [['none.md'], /^none\.md cannot be read: there is no such file\.\n$/],
  [['.'], /^\. is not a file\.\n$/],
  [
    ['soap.md', 'soap.exe'],
    /^soap\.exe cannot be imported, because its format is not supported. Supported are PDF, EPUB/,
  ],
])('%j is refused before anything is sent', async ([files, message]) => {
  const folder = await folderWith({ 'soap.md': '# Soap\n', 'soap.exe': 'MZ' })
  const count = async () =>
    (await runClientCommand(['items', 'list', '--json'], { environment: environment() })).json.items.length
  const before = await count()
  const run = await runClientCommand(['upload', ...files], { environment: environment(), folder })
  expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) })
  expect(await count()).toBe(before)
})

test('a refusal by the server is shown', async () => {
  const folder = await folderWith({ 'soap.md': '# Soap\n' })
  const run = await runClientCommand(['upload', 'soap.md', '--key', 'lectern_wrong'], {
    environment: environment(),
    folder,
  })
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toMatch(/API key/)
})

test('Ctrl-C while waiting for an import says what continues and how to see it', async () => {
  const job = { id: 'j1', status: 'RUNNING', stage: 'reading', progress: 10 }
  const busy = createServer((request, response) => {
    const uploadUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}/file`
    request.resume().once('end', () => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ itemId: 'i', storageKey: 'k', uploadUrl, job }))
    })
  }).listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const folder = await folderWith({ 'soap.md': '# Soap\n' })
  const args = [...lecternCommand, 'upload', join(folder, 'soap.md'), '--url', url, '--key', 'k']
  const child = spawn(process.execPath, args, { env: { HOME: folder } })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (text.includes('reading')) child.kill('SIGINT')
  })
  const [code] = await once(child, 'close')
  busy.closeAllConnections()
  busy.close()
  expect(code).toBe(130)
  expect(stderr).toMatch(
    /The server continues to import \S+soap\.md\. To see the progress: lectern jobs get j1\. To cancel it: lectern jobs cancel j1\.\n$/,
  )
})

test('Ctrl-C during an upload says that the file is not added', async () => {
  // A server that accepts the first step and then never reads the file.
  const arrived = Promise.withResolvers<void>()
  const slow = createServer((request, response) => {
    if (request.method === 'PUT') return arrived.resolve()
    const uploadUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/file`
    response
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ itemId: 'i', storageKey: 'k', uploadUrl }))
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  const folder = await folderWith({ 'soap.md': '# Soap\n' })
  const child = spawn(
    process.execPath,
    ['bin/lectern.cjs', 'upload', join(folder, 'soap.md'), '--url', url, '--key', 'k'],
    {
      env: { HOME: folder },
    },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  await arrived.promise
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  slow.closeAllConnections()
  slow.close()
  expect(code).toBe(130)
  expect(stderr).toMatch(/soap\.md was not sent completely and is not added\. Send it again\.\n$/)
})

const xml = (code: string, message: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

test.for<[string, number, string, string, RegExp]>([
  [
    'a server',
    507,
    JSON.stringify({ error: 'The server has no space left. Tell its administrator.', code: 'STORAGE_FULL' }),
    'STORAGE_FULL',
    /^soap\.md was refused: The server has no space left\. Tell its administrator\.$/,
  ],
  [
    'a bucket that is busy',
    503,
    xml('SlowDown', 'Please reduce your request rate.'),
    'UNAVAILABLE',
    /^soap\.md was refused: the file store at http:\/\/127\.0\.0\.1:\d+ answered with status 503 \(SlowDown: Please reduce your request rate\.\)\. Try again in a few seconds\.$/,
  ],
  [
    'a bucket whose address has expired',
    403,
    xml('AccessDenied', 'Request has expired'),
    'FORBIDDEN',
    /answered with status 403 \(AccessDenied: Request has expired\)\. Send the file again; if that fails, tell the administrator of the server\.$/,
  ],
  [
    'a proxy',
    502,
    '<html>Bad Gateway\u001b[2J</html>',
    'UNAVAILABLE',
    /the file store at \S+ answered with status 502\. Try again in a few seconds\.$/,
  ],
])('the refusal of a file by %s is shown with its code and what to do', async ([, status, body, code, message]) => {
  const refusing = createServer((request, response) => {
    const uploadUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/file`
    request.resume().once('end', () => {
      if (request.method === 'PUT') response.writeHead(status).end(body)
      else response.end(JSON.stringify({ itemId: 'i', storageKey: 'k', uploadUrl }))
    })
  }).listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
  const folder = await folderWith({ 'soap.md': '# Soap\n' })
  const run = await runClientCommand(['upload', 'soap.md', '--json', '--url', url, '--key', 'k'], { folder })
  refusing.closeAllConnections()
  refusing.close()
  expect(run).toMatchObject({ code: 1, json: { error: expect.stringMatching(message), code } })
})

test('an upload address that does not answer is named with the reason', async () => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const uploadUrl = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/file`
  gone.close()
  const listening = createServer((request, response) => {
    request.resume().once('end', () => response.end(JSON.stringify({ itemId: 'i', storageKey: 'k', uploadUrl })))
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  const folder = await folderWith({ 'soap.md': '# Soap\n' })
  const run = await runClientCommand(['upload', 'soap.md', '--url', url, '--key', 'k'], { folder })
  listening.closeAllConnections()
  listening.close()
  expect(run.stderr).toContain(`No Lectern server answers at ${new URL(uploadUrl).origin} (ECONNREFUSED).`)
})
