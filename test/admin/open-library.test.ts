import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../support/extraction.ts'
import { runLectern } from '../support/run-lectern.ts'

const timeout = 60_000

test.for([
  'key create --email a@b.example',
  'user list',
  'book list --email a@b.example',
  'book system --file package.json',
  'doctor',
])('%j creates no store if there is none, and names the place and the variable', { timeout }, async (line) => {
  const folder = await createTemporaryFolder()
  const environment = { LECTERN_DATA_DIR: join(folder, 'data') }
  const run = await runLectern(line.split(' '), environment)
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toMatch(new RegExp(`^There is no library in ${folder}/data\\. Set LECTERN_DATA_DIR .*\\.\n$`))
  expect(await readdir(folder)).toEqual([])
  const { json } = await runLectern([...line.split(' '), '--json'], environment)
  expect(json).toEqual({ error: run.stderr.trimEnd(), code: 'UNAVAILABLE' })
})

const program = fileURLToPath(new URL('../../bin/lectern.cjs', import.meta.url))
const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, program]
const canActAsNobody = spawnSync('setpriv', [...asNobody, 'help']).status === 0

test.skipIf(!canActAsNobody)(
  'a user who may not read the data directory is told so (needs root and setpriv)',
  { timeout },
  async () => {
    const folder = await createTemporaryFolder()
    const directory = join(folder, 'data')
    const environment = { LECTERN_DATA_DIR: directory }
    await runLectern(['user', 'create', '--email', 'ann@lectern.example'], environment)
    for (const line of ['user list', 'doctor']) {
      const run = spawnSync('setpriv', [...asNobody, ...line.split(' ')], { env: { ...environment, HOME: folder } })
      expect(run.stderr.toString()).toMatch(`This user may not read ${directory}. Run the command as the user that`)
      expect(run.status).toBe(1)
    }
  },
)

test('user create creates a library if a variable names the place, and says so', { timeout }, async () => {
  const folder = await createTemporaryFolder()
  const environment = { LECTERN_DATA_DIR: join(folder, 'data') }
  const create = (email: string) => runLectern(['user', 'create', '--email', email], environment)
  const first = await create('ann@lectern.example')
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{26}\n$/) })
  expect(first.stderr).toMatch(new RegExp(`^Created a new library in ${folder}/data\\.\nAccount ann@lectern\\.example`))
  const second = await create('bob@lectern.example')
  expect(second.stderr).toMatch(/^Account bob@lectern\.example/)
  expect(existsSync(join(folder, 'data', 'compiled'))).toBe(false)
})

test('user create creates no library below an arbitrary current folder', { timeout }, async () => {
  const cwd = await createTemporaryFolder()
  const args = [program, 'user', 'create', '--email', 'ann@lectern.example']
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd, env: { XDG_STATE_HOME: cwd } }, (error, _, text) =>
      resolve({ code: error?.code, stderr: text }),
    )
  })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`There is no library in ${cwd}/data.`) })
  expect(await readdir(cwd)).toEqual([])
})
