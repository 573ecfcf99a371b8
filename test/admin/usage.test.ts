import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseArguments } from '../../src/admin/parse-arguments.ts'
import { UsageError } from '../../src/admin/commands/read-options.ts'
import { commandLoaders } from '../../src/admin/commands/command-loaders.ts'
import { adminCommands as commands } from '../support/admin-commands.ts'
import { noProgress } from '../../src/admin/progress.ts'
import { readConfig } from '../../src/app/config.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { lecternCommand, runLecternProcess, runLectern } from '../support/run-lectern.ts'

const nowhere = { LECTERN_DATA_DIR: '/nonexistent/lectern', LECTERN_LOG_LEVEL: 'silent' }

test.for(['', 'help', '--help'])(
  '%j prints every command, and the help of a group prints its options',
  async (line) => {
    const { code, stdout, stderr } = await runLecternProcess(line === '' ? [] : [line], nowhere)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name.split(' ')[0]} +\\S`, 'm'))
    const ofGroup = await runLecternProcess(['help', 'user'], nowhere)
    for (const { name, usage, summary } of commands.filter((command) => command.name.startsWith('user ')))
      expect(ofGroup.stdout).toContain(`  ${`lectern ${name} ${usage}`.trim()}\n      ${summary}\n`)
  },
)

test.for(['--help', '-h'])('start %s prints the help and starts no server', async (option) => {
  const { code, stdout, stderr } = await runLecternProcess(['start', option], nowhere)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Usage: lectern start \[--port N\]/)
})

/** A module for `--import` that prints the address of each module that is loaded after it. */
const printModules = `data:text/javascript,${encodeURIComponent(
  "import{registerHooks}from'node:module';registerHooks({load(url,context,next){console.error(url);return next(url,context)}})",
)}`

test('every command is loaded by its own name', () => {
  expect(commands.map(({ name }) => name)).toEqual([...commandLoaders.keys()])
})

test('a command that finds no library has loaded neither the services nor other commands', async () => {
  const { stderr } = await runLecternProcess(['key', 'list', '--email', 'a@b.example'], {
    ...nowhere,
    NODE_OPTIONS: `--import=${printModules}`,
  })
  expect(stderr).toContain('There is no library')
  const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'))
  expect(loaded).toContainEqual(expect.stringMatching(/\/src\/admin\/commands\/key\.ts$/))
  expect(
    loaded.filter((url) => /\/src\/(?:admin\/commands\/(?:user|doctor|import|book)|app\/services)\.ts$/.test(url)),
  ).toEqual([])
})

test.for<[string, RegExp]>([
  ['user create', /^--email is missing\nUsage: lectern user create --email E/],
  ['user create --email', /^--email needs a value\n/],
  ['user create --email nobody', /--email: Invalid email/],
  ['user create --email a@b.example --nmae Ann', /^unknown option --nmae\. Did you mean --name\?\n/],
  ['user create --email a@b.example --colour red', /^unknown option --colour\n/],
  ['user create --email a@b.example --admin yes', /^--admin takes no value\n/],
  ['user list --email a@b.example', /^unknown option --email\nUsage: lectern user list$/],
  ['user plan --email a@b.example', /^--plan is missing\n/],
  [
    'key create --email a@b.example --scopes library:all',
    /^--scopes: must be one of library:read, library:write, marketplace:read, marketplace:write\n/,
  ],
  [
    'key create --email a@b.example --expires-at tomorrow',
    /^--expires-at: must be a date such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z\n/,
  ],
  ['audit --since yesterday', /^--since: must be a date such as /],
  ['audit --limit 0', /^--limit: must be a whole number from 1 to 1000\n/],
  ['audit --type none', /^--type: must be one of .*key_created/],
  ['team subscription --team t --active maybe', /^--active: must be true or false\n/],
  ['key revoke', /^--id is missing\n/],
  ['book add --email a@b.example', /^--file is missing\n/],
  ['book system --file', /^--file needs a value\n/],
  ['job list --email a@b.example --limit many', /^--limit: must be a whole number from 1 to 10000\n/],
  ['call --key k --tool t --input []', /--input: must be a JSON object/],
  ['doctor --depe', /unknown option --depe/],
  ['backup', /^--to is missing\n/],
  ['restore --from', /^--from needs a value\n/],
  ['copy --to x --files http://bucket', /^--files: must be s3:\/\/BUCKET or a folder\n/],
])('%j is refused as invalid usage', async ([line, says]) => {
  const { commandWords, options } = parseArguments(line.split(' '))
  const command = commands.find(({ name }) => name === commandWords.join(' '))
  const unreachable = () => Promise.reject(new Error('the store was opened'))
  const here = { progress: noProgress, currentFolder: '/' }
  const access = { config: readConfig({}), open: unreachable, printList: unreachable, ...here }
  const run = async () => command?.execute(access, options)
  await expect(run()).rejects.toThrow(UsageError)
  await expect(run()).rejects.toThrow(says)
})

test.for<[string, RegExp]>([
  ['frobnicate', /^unknown command: frobnicate\n\nlectern help lists all commands\.\n$/],
  [
    'user',
    /^user needs a second word\.\nThe commands are: user create, user list, .*\n\nlectern help user explains them\.\n$/,
  ],
  ['usr create', /^unknown command: usr create\nDid you mean user create\?\n\nlectern help lists all commands\.\n$/],
  ['user create ann', /^user create takes options only, not "ann"\nUsage: lectern user create --email E/],
  ['doctor -x', /^unknown option -x\n$/],
  [
    'doctor --depe',
    /^unknown option --depe. Did you mean --deep\?\nUsage: lectern doctor \[--deep\] \[--repair\] \[--url URL\]\n$/,
  ],
])('%j exits with 2 and explains why on standard error', async ([line, says]) => {
  const run = await runLectern(line.split(' '), nowhere)
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' })
  expect(run.stderr).toMatch(says)
})

test('with --json, invalid usage is reported as JSON on standard output', async () => {
  const { code, json, stderr } = await runLecternProcess(['user', 'create', '--json'], nowhere)
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  expect(json).toEqual({ error: expect.stringMatching(/--email/), code: 'USAGE' })
})

test('every problem of the configuration is reported at once', async () => {
  const environment = { PORT: 'x', LECTERN_ROLE: 'boss', LECTERN_LOG_LEVEL: 'silent' }
  const { code, stderr } = await runLectern(['doctor'], environment)
  expect(code).toBe(2)
  expect(stderr).toMatch(/PORT: /)
  expect(stderr).toMatch(/LECTERN_ROLE: /)
})

test('an unusable data directory is reported without a stack trace', async () => {
  const folder = await createTemporaryFolder()
  await writeFile(join(folder, 'file'), '')
  const { code, stderr, stdout } = await runLecternProcess(['user', 'create', '--email', 'a@b.example'], {
    LECTERN_DATA_DIR: join(folder, 'file', 'data'),
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^\/.* cannot be used: a part of the path is a file, not a folder \(ENOTDIR\)\. .* LECTERN_DATA_DIR\.\n$/,
  )
  expect(stderr).not.toMatch(/\n {4}at /)
})

test('only their owner can read the data directory and its secret', async () => {
  const folder = join(await createTemporaryFolder(), 'data')
  const { code } = await runLecternProcess(['user', 'create', '--email', 'a@b.example'], { LECTERN_DATA_DIR: folder })
  expect(code).toBe(0)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600)
})

test.skipIf(!existsSync('/dev/full')).for(['user list', 'help', 'completion bash'])(
  '%j says in a sentence that its output could not be written (needs /dev/full)',
  { timeout: 30_000 },
  async (line) => {
    const directory = await createTemporaryFolder()
    const environment = { ...childEnvironment, LECTERN_DATA_DIR: directory, XDG_STATE_HOME: directory }
    await runLectern(['user', 'create', '--email', 'ann@lectern.example'], environment)
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const run = spawnSync(process.execPath, [...lecternCommand, ...line.split(' ')], {
      env: environment,
      stdio: ['ignore', full, 'pipe'],
    })
    expect(run.stderr.toString()).toBe('The output could not be written: ENOSPC: no space left on device, write\n')
    expect(run.status).toBe(1)
  },
)
