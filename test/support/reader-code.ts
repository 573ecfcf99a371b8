import { rmSync } from 'node:fs'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCodeCache } from '../../src/imports/extract/code-cache.ts'

/** Where it is stored. */
export const readerCodeDirectory = join(tmpdir(), `lectern-reader-code-${process.pid}`)

/**
 * The compiled code of reading processes, shared by all servers in this process. `lectern start` has it, too; without
 * it, each server would compile for up to half a second.
 */
export const readerCode = createCodeCache(readerCodeDirectory)

process.once('exit', () => rmSync(readerCodeDirectory, { recursive: true, force: true }))

/** Copies the compiled code to where `lectern start` keeps it, which saves a second on each new data directory. */
export async function giveReaderCode(dataDirectory: string): Promise<void> {
  await readerCode.prepare(new Date())
  const target = join(dataDirectory, 'compiled', 'readers')
  await mkdir(target, { recursive: true, mode: 0o700 })
  // Names with a dash are in use.
  for (const version of await readdir(readerCodeDirectory))
    if (!version.includes('-')) await cp(join(readerCodeDirectory, version), join(target, version), { recursive: true })
}
