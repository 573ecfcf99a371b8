import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { startServer } from '../../src/app/start.ts'
import { createTemporaryFolder } from '../support/extraction.ts'

/** Starts a server, stops it, and returns what it logged about its secret. */
async function warningsOf(environment: Record<string, string>): Promise<{ source: string; msg: string }[]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const server = await startServer(readConfig({ PORT: '0', LECTERN_ROLE: 'web', ...environment }), log)
  await server.stop()
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('secret'))
}

test('a server that starts with another secret than the last one says so, and names its source', async () => {
  const LECTERN_DATA_DIR = await createTemporaryFolder()
  const secretOf = (letter: string) => ({ LECTERN_DATA_DIR, LECTERN_SECRET: letter.repeat(40) })
  expect(await warningsOf({ LECTERN_DATA_DIR })).toEqual([])
  expect(await warningsOf({ LECTERN_DATA_DIR })).toEqual([])
  expect(await warningsOf(secretOf('a'))).toMatchObject([
    { source: 'LECTERN_SECRET', msg: expect.stringContaining('need the same LECTERN_SECRET') },
  ])
  expect(await warningsOf(secretOf('a'))).toEqual([])
  const [warning] = await warningsOf(secretOf('b'))
  expect(JSON.stringify(warning)).not.toMatch(/aaaa|bbbb/)
})

test('a server whose secret was lost says that it uses a new one', async () => {
  const LECTERN_DATA_DIR = await createTemporaryFolder()
  await warningsOf({ LECTERN_DATA_DIR })
  const file = join(LECTERN_DATA_DIR, 'secret')
  await rm(file)
  expect(await warningsOf({ LECTERN_DATA_DIR })).toMatchObject([{ source: file }])
  expect(await warningsOf({ LECTERN_DATA_DIR })).toEqual([])
})
