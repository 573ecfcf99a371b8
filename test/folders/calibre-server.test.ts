import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FoundFile } from '../../src/folders/book-source.ts'
import { openRemoteCatalogue } from '../../src/folders/remote-catalogue.ts'
import { collect } from '../support/collect.ts'
import { buildEpub } from '../support/epub.ts'
import { hasProgram } from '../support/has-program.ts'
import { describeWith } from '../support/system-needs.ts'

const timeout = 120_000

describeWith(hasProgram('calibre-server', 'calibre'))('the content server of Calibre', { timeout }, () => {
  let directory: string
  let environment: NodeJS.ProcessEnv
  let server: ChildProcess
  let address: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-calibre-server-'))
    environment = { ...process.env, HOME: directory, XDG_RUNTIME_DIR: directory, QT_QPA_PLATFORM: 'offscreen' }
    const library = join(directory, 'library')
    const calibredb = (...options: string[]) =>
      execFileSync('calibredb', [...options, '--with-library', library], { env: environment, stdio: 'pipe' })
    for (const [name, options] of [
      ['One', ['--tags', 'Physics,Größe & Co', '--series', 'Waves <x>', '--series-index', '1.5', '--languages', 'deu']],
      ['Two', ['--authors', 'Ada & Bob']],
    ] as const) {
      const file = join(directory, `${name}.epub`)
      await writeFile(file, await buildEpub({ chapters: { 'one.xhtml': `<p>${name}</p>` } }))
      calibredb('add', file, '--title', name, ...options)
    }
    const port = await freePort()
    server = spawn('calibre-server', ['--port', String(port), '--listen-on', '127.0.0.1', library], {
      env: environment,
      stdio: 'ignore',
    })
    address = `http://127.0.0.1:${port}/opds`
    while (!(await fetch(address).catch(() => null))) await delay(200)
  }, timeout)
  afterAll(async () => {
    server.kill()
    await once(server, 'exit')
    await rm(directory, { recursive: true, force: true })
  })

  test('serves its books with their metadata', async () => {
    const source = await openRemoteCatalogue(address, {
      accountId: 'a',
      credentials: null,
      signal: AbortSignal.timeout(timeout),
    })
    const files: FoundFile[] = await collect(source.files())
    const [one, two] = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(one).toMatchObject({
      name: 'One.epub',
      shelves: ['Waves <x>', 'Größe & Co', 'Physics'],
      metadata: { title: 'One', description: 'Series: Waves <x>, 1.5\nTags: Größe & Co, Physics' },
    })
    expect(two).toMatchObject({ shelves: [], metadata: { title: 'Two', author: 'Ada, Bob' } })
    expect(source.leftOut.rows()).toEqual([])
    for (const { path, remote } of files) {
      await remote?.fetch(1_000_000)
      expect((await stat(path)).size).toBeGreaterThan(500)
    }
    await source.close()
  })
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
