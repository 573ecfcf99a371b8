import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { readArchive } from '../support/read-archive.ts'
import { runClientCommand } from '../support/run-client.ts'
import type { Person } from '../support/server.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let person: Person
let folder: string

beforeAll(async () => {
  person = await server.createPerson()
  await makeBook(server, person, { title: 'Whales', content: '# Whales\n' })
  await importFile(server, person, { filename: 'ships.md', bytes: Buffer.from('# Ships\n') })
  folder = await mkdtemp(join(tmpdir(), 'lectern-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

const environment = () => ({ LECTERN_URL: server.baseUrl, LECTERN_KEY: person.key })
const run = (...args: string[]) => runClientCommand(['export', ...args], { environment: environment(), folder })

describe('lectern export', () => {
  test('writes a complete archive for its owner only, and reports its size', async () => {
    const { code, stdout, stderr } = await run('--to', 'mine.zip')
    const bytes = await readFile(join(folder, 'mine.zip'))
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe(`Exporting to mine.zip\nmine.zip: ${bytes.length} bytes\n`)
    expect((await readArchive(bytes)).manifest.counts).toMatchObject({ books: 2, originals: 1 })
    expect(await readdir(folder)).toEqual(['mine.zip'])
    expect(await run('--to', 'other.zip', '--json')).toMatchObject({ code: 0, json: { file: 'other.zip' } })
  })

  test('on a terminal, shows how much has arrived', async () => {
    const shown = await runClientCommand(['export', '--to', 'shown.zip'], {
      environment: environment(),
      folder,
      columns: 80,
    })
    expect(shown.stderr).toContain('\r\u001B[KExporting to shown.zip … 0.0 MB')
  })

  test('writes to stdout', async () => {
    const { code, stdout } = await run('--to', '-')
    expect({ code, begin: stdout.slice(0, 2) }).toEqual({ code: 0, begin: 'PK' })
  })

  test('replaces no existing file', async () => {
    await writeFile(join(folder, 'kept.zip'), 'kept')
    const { code, stderr } = await run('--to', 'kept.zip')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'kept.zip exists already. Name another file, or remove that one first.\n',
    })
    expect(await readFile(join(folder, 'kept.zip'), 'utf8')).toBe('kept')
  })

  test('leaves nothing behind if the server aborts the export', async () => {
    const before = await readdir(folder)
    vi.spyOn(server.running.opened.services.files, 'read').mockImplementation(async function* () {
      yield Buffer.from('# Sh')
      throw new Error('no disk')
    })
    const { code, stderr } = await run('--to', 'torn.zip')
    expect(code).toBe(1)
    expect(stderr).toContain('The server ended the export early.')
    expect(await readdir(folder)).toEqual(before)
  })

  test.for<[what: string, args: string[], code: number, message: RegExp]>([
    ['without a file', [], 2, /^name a file with --to FILE, or - for stdout\nUsage: lectern export --to FILE\|-/],
    ['into a folder that does not exist', ['--to', 'none/mine.zip'], 1, /^none\/mine\.zip cannot be written: ENOENT/m],
    ['with a wrong key', ['--to', 'x.zip', '--key', 'useless'], 1, /^Invalid API key format/],
  ])('is refused %s', async ([, args, code, message]) => {
    const answer = await run(...args)
    expect(answer.code).toBe(code)
    expect(answer.stderr).toMatch(message)
    expect(await readdir(folder)).not.toContain('x.zip')
  })
})
