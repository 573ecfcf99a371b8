import { once } from 'node:events'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/server.ts'
import { smallBookPages, smallBooks } from '../support/small-books.ts'
import { describeWith } from '../support/system-needs.ts'
import { createChangedRoot, overlayNeed, type ChangedRoot } from './changed-root.ts'
import { environmentOf, parseDockerfile, valuesOf, type Stage } from './dockerfile.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const stages = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))
const image = stages.at(-1) as Stage

/** The paths in the build context that Docker sends. */
const context = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

/** Steps that are skipped, because this machine has the packages already: those of the project and of the system. */
const taken = /^npm ci --ignore-scripts|^apt-get /

/** Runs the instructions of a stage in an empty copy of this machine's root. */
async function build(stage: Stage, others: ReadonlyMap<string, ChangedRoot>): Promise<ChangedRoot> {
  const changed = await createChangedRoot()
  let folder = '/'
  for (const { name, text } of stage.instructions) {
    if (name === 'WORKDIR') {
      folder = text
      await mkdir(join(changed.upper, folder), { recursive: true })
    } else if (name === 'COPY') {
      const [, from, list = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? []
      const words = list.split(' ')
      const target = join(changed.upper, join(folder, words.pop() ?? ''))
      const source = from === undefined ? root : (others.get(from)?.upper ?? '')
      for (const word of words.flatMap((one) => (one === '.' ? context : [one])))
        cpSync(join(source, word), from === undefined ? join(target, word) : target, { recursive: true })
    } else if (name === 'RUN' && taken.test(text)) {
      if (text.startsWith('npm')) await symlink(join(root, 'node_modules'), join(changed.upper, folder, 'node_modules'))
    } else if (name === 'RUN') await changed.run(text, { folder })
  }
  return changed
}

test('the image is based on the Node version that packages require, and runs what it copies', () => {
  for (const { from } of stages) expect(from).toMatch(/^node:24-/)
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  // `npm pack` makes the bundle from the others.
  expect(context).toEqual(expect.arrayContaining(files.filter((name) => !name.startsWith('!') && name !== 'bundle')))
})

describeWith(overlayNeed)('the image, built without Docker', () => {
  const built = new Map<string, ChangedRoot>()
  let container: ChangedRoot

  beforeAll(async () => {
    for (const stage of stages) {
      container = await build(stage, built)
      built.set(stage.name, container)
    }
  }, 480_000)
  afterAll(() => Promise.all([...built.values()].map((each) => each.remove())))

  test('contains the packages that the server needs, no second Node, and no sources', async () => {
    const packages = await readdir(join(container.upper, 'opt/lectern/node_modules'))
    expect(packages).toEqual(expect.arrayContaining(['hono', 'pdfjs-dist', 'mongodb']))
    for (const name of ['node', 'vitest', 'typescript']) expect(packages).not.toContain(name)
    for (const compiled of ['bundle/main.js', 'src/app/run.js'])
      expect(existsSync(join(container.upper, 'opt/lectern', compiled))).toBe(true)
    expect(existsSync(join(container.upper, 'opt/lectern/src/app/run.ts'))).toBe(false)
  })

  test('runs without root and with a single writable folder: healthy, imports a book, stops on request', async () => {
    const port = String(await freePort())
    const environment = { ...environmentOf(image), PORT: port }
    const [command = ''] = valuesOf(image, 'CMD')
    const [, probe = ''] = /CMD (.*)$/.exec(valuesOf(image, 'HEALTHCHECK').join()) ?? []
    const isHealthy = async () => {
      const [status] = await once(container.start(JSON.parse(probe) as string[], environment), 'exit')
      return status === 0
    }
    expect(await isHealthy()).toBe(false)

    const server = container.start(JSON.parse(command) as string[], environment)
    onTestFinished(() => void server.kill('SIGKILL'))
    let output = ''
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += chunk))
    const exited = once(server, 'exit')
    await expect.poll(isHealthy, { timeout: 60_000, interval: 500, message: output }).toBe(true)
    expect(await readFile(`/proc/${server.pid}/status`, 'latin1')).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)

    const lectern = async (...args: string[]) => {
      const process = container.start(['lectern', ...args], environment)
      let [text, remarks] = ['', '']
      process.stdout?.on('data', (chunk) => (text += chunk))
      process.stderr?.on('data', (chunk) => (remarks += chunk))
      expect([...(await once(process, 'close')), remarks], args.join(' ')).toEqual([0, null, expect.any(String)])
      return text.trim()
    }
    const email = ['--email', 'ann@lectern.example']
    await lectern('user', 'create', ...email, '--admin')
    const key = await lectern('key', 'create', ...email)
    await writeFile(join(container.upper, '../data/book.pdf'), await smallBooks.pdf())
    const book = await lectern('book', 'add', ...email, '--file', '/data/book.pdf', '--wait')
    const input = JSON.stringify({ items: [{ id: book }] })
    const answer = await lectern('call', '--key', key, '--tool', 'read_items', '--input', input)
    for (const text of smallBookPages) expect(answer).toContain(text)

    server.kill('SIGTERM')
    expect(await exited, output).toEqual([0, null])
  }, 240_000)

  test('does not start in a folder that every user may write to', async () => {
    const environment = { ...environmentOf(image), LECTERN_DATA_DIR: '/tmp' }
    const server = container.start(['lectern', 'start'], environment)
    let output = ''
    server.stderr?.on('data', (chunk) => (output += chunk))
    expect(await once(server, 'close')).toEqual([1, null])
    expect(output).toContain('every user of this machine may write /tmp')
  }, 60_000)
})
