import { spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { chmod, chown, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../support/extraction.ts'

const program = fileURLToPath(new URL('../../bin/lectern.cjs', import.meta.url))
const isRoot = process.getuid?.() === 0

/** Prints whether Node has loaded what removes the types of TypeScript. */
const report =
  'process.on("exit", () => process.stderr.write(String(process.moduleLoadList.some((name) => name.includes("amaro")))))'
const reporting = ['--import', `data:text/javascript,${encodeURIComponent(report)}`]

function removesTypes(dataDirectory: string, options: SpawnSyncOptions = {}): boolean {
  const { status, stderr } = spawnSync(process.execPath, [...reporting, program, 'help'], {
    env: { LECTERN_DATA_DIR: dataDirectory },
    ...options,
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return stderr === 'true'
}

async function makeDataDirectory(): Promise<string> {
  const directory = join(await createTemporaryFolder(), 'data')
  await mkdir(join(directory, 'compiled'), { recursive: true, mode: 0o700 })
  return directory
}

test('a command with the compile cache of a server compiles no module', async () => {
  const directory = await makeDataDirectory()
  expect(removesTypes(directory)).toBe(true)
  expect(removesTypes(directory)).toBe(false)
})

test('a command trusts no compile cache of a folder in which it happens to run', async () => {
  const directory = await makeDataDirectory()
  expect(removesTypes(directory, { cwd: dirname(directory), env: {} })).toBe(true)
  expect(await readdir(join(directory, 'compiled'))).toEqual([])
})

test.for([
  ['the group may write', (directory: string) => chmod(directory, 0o770), false],
  ['everybody may write', (directory: string) => chmod(directory, 0o777), false],
  ['belongs to another user', (directory: string) => chown(directory, 65534, 65534), true],
] as const)('a command trusts no compile cache in a directory that %s', async ([, change, needsRoot], { skip }) => {
  if (needsRoot && !isRoot) skip('needs root')
  const directory = await makeDataDirectory()
  await change(directory)
  expect(removesTypes(directory)).toBe(true)
  expect(await readdir(join(directory, 'compiled'))).toEqual([])
})
