import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { forgetSecrets, readConfig } from '../../src/app/config.ts'
import { confinedCommand } from '../../src/imports/extract/confinement.ts'
import { blackSquare, testRenderer } from '../support/drawing.ts'
import { writePdf } from '../support/pdf.ts'
import { createTemporaryFolder, extractionOutcome, scriptedExtractor } from '../support/extraction.ts'
import type { Script } from '../support/scripted-format.ts'
import { networkIsolationNeed, testWith } from '../support/system-needs.ts'

const pages: Script = { steps: [{ do: 'pages', count: 1 }] }
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A TCP server that the confined process must not reach. */
async function listen(): Promise<number> {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

describe('a file that takes over its reading process', () => {
  test('cannot read the data directory, the environment of the server, or any other file', async () => {
    const data = await createTemporaryFolder()
    await writeFile(join(data, 'secret'), 'canary')
    const files = [join(data, 'secret'), data, '/etc/passwd', homedir(), join(root, '.git'), join(root, 'src/app')]
    const environments = ['/proc/self/environ', `/proc/${process.pid}/environ`, `/proc/${process.pid}/fd`]
    const { read } = await scriptedExtractor()
    const book = await read({ steps: [{ do: 'reach out', files: [...files, ...environments], sockets: [] }] })
    const outcomes = book.pages[0]?.content.split('\n')
    expect(outcomes).toEqual([...files, ...environments].map((file) => `${file}: ERR_ACCESS_DENIED`))
  })

  testWith(networkIsolationNeed)('cannot reach the network', async () => {
    const port = await listen()
    const { read } = await scriptedExtractor()
    const sockets = [{ port, host: '127.0.0.1' }]
    const book = await read({ steps: [{ do: 'reach out', files: [], sockets }] })
    expect(book.pages[0]?.content).toMatch(/: (?:ENETUNREACH|ECONNREFUSED|EHOSTUNREACH|EADDRNOTAVAIL)$/)
  })

  testWith({ present: process.platform === 'linux', remedy: 'needs /proc' })(
    'is confined in the same way when its pages are drawn',
    async () => {
      const { draw, renderer } = testRenderer({ codeCache: null })
      const pdf = writePdf({ pages: [{ content: blackSquare }] })
      await draw(pdf, { accountId: 'attacker' })
      const [pid] = renderer.pids()
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
      const { command: program, args } = confinedCommand()
      expect([program, ...args].join(' ')).toContain(
        command
          .filter((part) => part !== '')
          .slice(1)
          .join(' '),
      )
      expect(command).toContain('--permission')
      expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toBe('')
      await draw(pdf, { accountId: 'victim', name: 'of the victim' })
      expect(renderer.pids()).toHaveLength(2)
    },
  )

  test("runs in a process that reads no other account's files", async () => {
    const { extractor, read } = await scriptedExtractor({ spare: true })
    await read(pages, { accountId: 'attacker' })
    const attacked = extractor.pids()
    await read({ steps: [{ do: 'kill' }] }, { accountId: 'victim' }).catch(() => undefined)
    const survivors = extractor.pids()
    expect(attacked.filter((pid) => survivors.includes(pid))).toHaveLength(1)
    const [own] = attacked
    expect(survivors).toContain(own)
  })
})

describe('a file without a first page', () => {
  test('that keeps the processor busy is aborted long before the limit on silence', async () => {
    const { read } = await scriptedExtractor({ firstPageTimeoutMs: 1000, sampleIntervalMs: 25 })
    const startedAt = performance.now()
    expect(await extractionOutcome(read({ steps: [{ do: 'spin' }] }))).toBe('TIMED_OUT')
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(
      await extractionOutcome(
        read({
          steps: [
            { do: 'pages', count: 1 },
            { do: 'slow pages', count: 3, ms: 800 },
          ],
        }),
      ),
    ).toBe('ok')
  })

  test('on a busy machine is not aborted for time that it did not use', async () => {
    const { read } = await scriptedExtractor({ firstPageTimeoutMs: 700, sampleIntervalMs: 25 })
    expect(await extractionOutcome(read({ steps: [{ do: 'slow pages', count: 1, ms: 1500 }] }))).toBe('ok')
  })
})

test('secrets are removed from the environment after the configuration was read', () => {
  const secret = 'canary-'.repeat(6)
  const environment: Record<string, string | undefined> = {
    LECTERN_SECRET: secret,
    LECTERN_MONGODB_URL: `mongodb://user:${secret}@127.0.0.1/`,
    LECTERN_FILES: 's3',
    LECTERN_S3_BUCKET: 'books',
    LECTERN_S3_ACCESS_KEY: secret,
    LECTERN_S3_SECRET_KEY: secret,
    LECTERN_SMTP_URL: `smtp://user:${secret}@127.0.0.1`,
    LECTERN_MAIL_FROM: 'a@lectern.example',
    LECTERN_ADMIN_EMAIL: 'a@lectern.example',
    LECTERN_ADMIN_PASSWORD: secret,
  }
  const config = readConfig(environment)
  forgetSecrets(environment)
  expect(config.secret).toBe(secret)
  expect(JSON.stringify(environment)).not.toContain(secret)
})
