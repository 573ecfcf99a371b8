/**
 * Measures `lectern import --from` next to a running server: `node bench/folder-import.ts [FILES…]`, with 500 files by
 * default. Generates small, distinct Markdown, text and EPUB files in folders of 50, and imports them into a new
 * library. Prints files per second, and the processor time and memory of the command and of the server, compared with
 * `cp -r` and `sha256sum` of the same files. Then does the same for a second run, which finds nothing new. Linux only.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildEpub } from '../test/support/epub.ts'
import { endedChildrenCpu } from './children-cpu.ts'
import { importsEmail, startImportServer, type ImportServer } from './import-queue-server.ts'
import { printLine } from './statistics.ts'

const filesPerFolder = 50
const sampleIntervalMs = 50
const ticksPerSecond = 100
const words = 'the sea is wide and a whale goes where no ship has gone before it came to shore'.split(' ')

/** About 2 KB of unique text. */
function textOf(at: number): string {
  const word = (n: number) => `${words[(at * 7 + n * 13) % words.length]}${n % 9 === 0 ? at + n : ''}`
  return Array.from({ length: 8 }, (_, line) =>
    Array.from({ length: 45 }, (__, n) => word(line * 45 + n)).join(' '),
  ).join('.\n\n')
}

async function writeBook(folder: string, at: number): Promise<void> {
  const text = textOf(at)
  if (at % 10 === 0) {
    const metadata = `<dc:title>Book ${at}</dc:title>`
    const body = text
      .split('\n\n')
      .map((paragraph) => `<p>${paragraph}</p>`)
      .join('')
    await writeFile(join(folder, `book-${at}.epub`), await buildEpub({ metadata, chapters: { 'one.xhtml': body } }))
  } else if (at % 3 === 0) await writeFile(join(folder, `book-${at}.txt`), text)
  else await writeFile(join(folder, `book-${at}.md`), `# Book ${at}\n\n${text}\n`)
}

async function makeFiles(directory: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const folder = join(directory, `Folder ${Math.floor(at / filesPerFolder)}`)
    if (at % filesPerFolder === 0) await mkdir(folder, { recursive: true })
    await writeBook(folder, at)
  }
}

/** Processor seconds of a running process and of its ended children. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

function peakMegabytes(pid: number): number {
  try {
    return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

/** The processor seconds of a program that this process starts. */
function costOf(program: string, args: readonly string[]): number {
  const before = endedChildrenCpu()
  execFileSync(program, args, { maxBuffer: 1024 ** 3 })
  return endedChildrenCpu() - before
}

async function runImport(server: ImportServer, { data, folder }: { data: string; folder: string }, name: string) {
  const [startedAt, childrenBefore, serverBefore] = [performance.now(), endedChildrenCpu(), cpuOf(server.pid)]
  const program = fileURLToPath(new URL('../bin/lectern.cjs', import.meta.url))
  const args = [program, 'import', '--from', folder, '--email', importsEmail, '--wait', '--json']
  const environment = { LECTERN_DATA_DIR: data, LECTERN_BASE_URL: server.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let [stdout, peak] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const timer = setInterval(() => (peak = Math.max(peak, peakMegabytes(child.pid ?? 0))), sampleIntervalMs)
  await once(child, 'close')
  clearInterval(timer)
  const { found, added, existing } = JSON.parse(stdout) as Record<string, number>
  const seconds = (performance.now() - startedAt) / 1000
  const rate = Math.round((found ?? 0) / seconds)
  const command = `${(endedChildrenCpu() - childrenBefore).toFixed(1)} s, ${peak} MB`
  const serverCost = `${(cpuOf(server.pid) - serverBefore).toFixed(1)} s, ${peakMegabytes(server.pid)} MB`
  printLine(
    `  ${name}: ${added} added, ${existing} there already in ${seconds.toFixed(1)} s, ${rate} files/s; processor and memory: command ${command}; server ${serverCost}`,
  )
}

async function measure(files: number): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'lectern-folder-import-'))
  const [folder, data, copy] = ['files', 'data', 'copy'].map((name) => join(root, name)) as [string, string, string]
  try {
    await makeFiles(folder, files)
    const copied = costOf('cp', ['-r', folder, copy])
    const hashed = costOf('find', [folder, '-type', 'f', '-exec', 'sha256sum', '{}', '+'])
    printLine(`${files} files; processor: cp -r ${copied.toFixed(2)} s, sha256sum ${hashed.toFixed(2)} s`)
    const server = await startImportServer(data)
    try {
      await runImport(server, { data, folder }, 'first run')
      await runImport(server, { data, folder }, 'second run')
    } finally {
      await server.stop()
    }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const given = process.argv.slice(2).map(Number)
for (const files of given.length > 0 ? given : [500]) await measure(files)
