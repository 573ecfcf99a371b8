import { rmSync } from 'node:fs'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCodeCache } from '../../src/imports/extract/code-cache.ts'

const directory = join(tmpdir(), `lectern-reader-code-${process.pid}`)

/**
 * The compiled code of reading processes, which all servers in this process share: `lectern start` has it too, and without it
 * each of them compiles for up to half a second.
 */
export const readerCode = createCodeCache(directory)

process.once('exit', () => rmSync(directory, { recursive: true, force: true }))

/** Puts the compiled code where `lectern start` keeps it, so that it need not compile for a second on each new data directory. */
export async function giveReaderCode(dataDirectory: string): Promise<void> {
  await readerCode.prepare(new Date())
  const target = join(dataDirectory, 'compiled', 'readers')
  await mkdir(target, { recursive: true, mode: 0o700 })
  // What is in use has a name with a dash.
  for (const version of await readdir(directory))
    if (!version.includes('-')) await cp(join(directory, version), join(target, version), { recursive: true })
}
