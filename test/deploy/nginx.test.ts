import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/has-program.ts'
import { runLecternProcess } from '../support/run-lectern.ts'
import { freePort, startTestServer, type TestServer } from '../support/server.ts'
import { describeWith } from '../support/system-needs.ts'
import { makeNginxFolder, startNginx, type NginxFolder } from './start-nginx.ts'

const run = promisify(execFile)

describeWith(hasProgram('nginx', 'nginx-light'))('nginx with deploy/nginx.conf', () => {
  test('is accepted unchanged', async () => {
    const folder = await makeNginxFolder('127.0.0.1:3000')
    const { stderr } = await run('nginx', ['-t', ...folder.args])
    await folder.remove()
    // nginx 1.25 and later have a separate `http2` directive, which older versions reject.
    const remarks = stderr.split('\n').filter((line) => !line.includes('"listen ... http2" directive is deprecated'))
    expect(remarks.filter((line) => /\[(?:warn|error|emerg)\]/.test(line))).toEqual([])
    expect(stderr).toContain('test is successful')
  })

  describe('in front of a streaming server', () => {
    const behind = createServer()
    let folder: NginxFolder
    let nginx: Awaited<ReturnType<typeof startNginx>>

    beforeAll(async () => {
      await once(behind.listen(0, '127.0.0.1'), 'listening')
      folder = await makeNginxFolder(`127.0.0.1:${(behind.address() as AddressInfo).port}`)
      nginx = await startNginx(folder)
    })
    afterAll(async () => {
      await nginx.stop()
      behind.closeAllConnections()
      behind.close()
      await folder.remove()
    })

    const open = (options: object) =>
      httpsRequest({
        host: '127.0.0.1',
        port: folder.ports.https,
        ca: folder.cert,
        servername: 'localhost',
        ...options,
      })

    test('each part of a response arrives before the next one is written', async () => {
      const arrived = Promise.withResolvers<void>()
      behind.once('request', async (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: one\n\n')
        await arrived.promise
        response.end('data: two\n\n')
      })
      const [response] = (await once(open({ path: '/mcp' }).end(), 'response')) as [IncomingMessage]
      const parts: string[] = []
      response.setEncoding('utf8').on('data', (text: string) => {
        parts.push(text)
        arrived.resolve()
      })
      await once(response, 'end')
      expect(parts).toEqual(['data: one\n\n', 'data: two\n\n'])
    })

    test('each part of an upload arrives before the next one is sent', async () => {
      const request = open({ path: '/file', method: 'PUT', headers: { 'Content-Length': 6 } })
      const parts: string[] = []
      behind.once('request', (received, response) => {
        received.setEncoding('utf8').on('data', (text: string) => {
          parts.push(text)
          if (parts.length === 1) request.end('two')
        })
        received.once('end', () => response.end())
      })
      request.write('one')
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      expect(response.statusCode).toBe(200)
      expect(parts).toEqual(['one', 'two'])
      response.resume()
    })

    test("the server sees the client's address, whatever the client claims", async () => {
      behind.once('request', (received, response) => response.end(received.headers['x-forwarded-for']))
      const request = open({ path: '/', headers: { 'X-Forwarded-For': '203.0.113.9' } }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      expect((await response.toArray()).join('')).toBe('203.0.113.9, 127.0.0.1')
    })

    test('plain http redirects to https', async () => {
      const asked = httpRequest({
        host: '127.0.0.1',
        port: folder.ports.http,
        path: '/shelves?a=b',
        headers: { Host: 'books.example.com' },
      }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      expect([response.statusCode, response.headers.location]).toEqual([301, 'https://books.example.com/shelves?a=b'])
      response.resume()
    })
  })

  describe('in front of Lectern', () => {
    let folder: NginxFolder
    let nginx: Awaited<ReturnType<typeof startNginx>>
    let server: TestServer
    let url = ''

    beforeAll(async () => {
      const port = await freePort()
      folder = await makeNginxFolder(`127.0.0.1:${port}`)
      url = `https://localhost:${folder.ports.https}`
      server = await startTestServer({
        PORT: String(port),
        LECTERN_BASE_URL: url,
        LECTERN_TRUSTED_PROXIES: '1',
      })
      nginx = await startNginx(folder)
    })
    afterAll(async () => {
      await nginx.stop()
      await server.close()
      await folder.remove()
    })

    const lectern = (...args: string[]) => runLecternProcess(args, { NODE_EXTRA_CA_CERTS: folder.certFile })

    test('lectern doctor --url finds nothing wrong from outside', async () => {
      const { json, code } = await lectern('doctor', '--url', url, '--json')
      expect(json.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
      expect(json.checks.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(['certificate', 'proxies', 'challenge', 'registration']),
      )
      expect(code).toBe(0)
    })

    test('an agent calls tools, and a reader reads', async () => {
      const { key } = await server.createPerson()
      const made = await lectern('items', 'create-markdown', 'Soap', '--content', '# Soap', '--url', url, '--key', key)
      expect(made.code).toBe(0)
      const answer = await lectern('call', '--key', key, '--tool', 'list_items', '--url', url)
      expect(answer.stdout).toContain('Soap')
    })
  })
})
