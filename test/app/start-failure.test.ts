import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { explainStartFailure } from '../../src/app/start-failure.ts'
import { startServer } from '../../src/app/start.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { freePort } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the server like `npm start` until it exits. */
async function runServer(environment: Record<string, string>) {
  const env = { ...childEnvironment, ...environment }
  const child = spawn(process.execPath, ['bin/lectern.cjs', 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** A server that answers every request with 404, as an S3 service does for a bucket that does not exist. */
async function listenAnywhere(): Promise<number> {
  const server = createServer((_, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve())
  })
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const missingBucket = (port: number) => ({
  LECTERN_FILES: 's3',
  LECTERN_S3_BUCKET: 'books',
  LECTERN_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  LECTERN_S3_ACCESS_KEY: 'access',
  LECTERN_S3_SECRET_KEY: 'do-not-print',
  LECTERN_S3_FORCE_PATH_STYLE: 'true',
})

describe(
  'a server that cannot start gives the reason in a sentence and exits with status 1',
  { timeout: 60_000 },
  () => {
    test.for<[string, (paths: { taken: number; file: string }) => Record<string, string>, (port: number) => RegExp]>([
      [
        'a port that is taken',
        ({ taken }) => ({ PORT: String(taken) }),
        (taken) => new RegExp(`^Lectern cannot start: Port ${taken} is in use .* PORT=${taken + 1}\n$`),
      ],
      [
        'a port for metrics that is taken',
        ({ taken }) => ({ LECTERN_METRICS_PORT: String(taken) }),
        (taken) =>
          new RegExp(`^Lectern cannot start: Port ${taken} is in use .*: LECTERN_METRICS_PORT=${taken + 1}\n$`),
      ],
      [
        'a file in the place of the data directory',
        ({ file }) => ({ LECTERN_DATA_DIR: file }),
        () =>
          /^Lectern cannot start: \/.*\/file cannot be used: a file is in its place \(EEXIST\).* LECTERN_DATA_DIR\.\n$/,
      ],
      [
        'a database that does not answer',
        () => ({ LECTERN_MONGODB_URL: 'mongodb://reader:do-not-print@127.0.0.1:9/books' }),
        () =>
          /Lectern cannot start: The database at 127\.0\.0\.1:9 does not answer \(.*\)\. .*LECTERN_MONGODB_URL.*\n$/,
      ],
      [
        'a bucket that does not exist',
        ({ taken }) => missingBucket(taken),
        (port) =>
          new RegExp(`^Lectern cannot start: The bucket books at http://127.0.0.1:${port} cannot be used. .*exist`),
      ],
      [
        'a bucket that does not answer',
        () => missingBucket(9),
        () => /The bucket books at http:\/\/127\.0\.0\.1:9 cannot be used\. .* The reason: .*ECONNREFUSED.*\n$/,
      ],
      [
        'a bucket without keys',
        ({ taken }) => ({
          ...missingBucket(taken),
          LECTERN_S3_ACCESS_KEY: '',
          LECTERN_S3_SECRET_KEY: '',
          AWS_EC2_METADATA_DISABLED: 'true',
        }),
        () => /no credentials were found\. .*LECTERN_S3_ACCESS_KEY/,
      ],
      [
        'a variable with a typing error',
        () => ({ LECTERN_DATADIR: '/books' }),
        () => /^The configuration cannot be used:\nLECTERN_DATADIR: .*Did you mean LECTERN_DATA_DIR\?\n$/,
      ],
    ])('%s', async ([reason, environmentOf, says]) => {
      const folder = await createTemporaryFolder()
      const taken = await listenAnywhere()
      await writeFile(join(folder, 'file'), '')
      const { code, stdout, stderr } = await runServer({
        PORT: '0',
        LECTERN_DATA_DIR: join(folder, 'data'),
        LECTERN_LOG_LEVEL: 'error',
        ...environmentOf({ taken, file: join(folder, 'file') }),
      })
      expect(stderr).toMatch(says(taken))
      expect(stderr).not.toMatch(/\n {4}at |[{}]|do-not-print/)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(existsSync(join(folder, 'data', 'store'))).toBe(reason.startsWith('a bucket'))
    })
  },
)

/** Runs the command in a Node that reports another version. */
function runIn(version: string, ...args: string[]) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require('./bin/lectern.cjs')`
  return spawnSync(process.execPath, ['-e', pretend, '--', ...args], { cwd: root, encoding: 'utf8' })
}

test('an old version of Node gets a sentence with the remedy', () => {
  const { status, stderr } = runIn('20.11.0', 'start')
  expect(stderr).toBe(
    `Lectern cannot start: it needs Node 24 or newer, and this is Node 20.11.0. The packages include one, which npm uses: run \`npm run --silent lectern -- COMMAND\` in ${root.slice(0, -1)}.\n`,
  )
  expect(status).toBe(1)
})

test('an unknown option of start exits with the usage', { timeout: 20_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, ['bin/lectern.cjs', 'start', '--prot', '1'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/^Unknown option '--prot'.*\nUsage: lectern start \[--port N\]/s)
  expect(status).toBe(2)
})

test('a failed start releases the port and the store for the next attempt', async () => {
  const environment = { LECTERN_DATA_DIR: await createTemporaryFolder(), PORT: String(await freePort()) }
  const failing = readConfig({ ...environment, ...missingBucket(await listenAnywhere()) })
  await expect(startServer(failing, createLog('silent'))).rejects.toThrow('The bucket does not exist.')
  const config = readConfig(environment)
  const server = await startServer(config, createLog('silent'))
  await expect(startServer(config, createLog('silent'))).rejects.toThrow(/EADDRINUSE/)
  const ready = await fetch(`http://127.0.0.1:${server.port}/readyz`)
  expect(ready.status).toBe(200)
  await server.stop()
})

test.for<[string | number, Record<string, string | number>, RegExp]>([
  ['EACCES', { syscall: 'listen' }, /^This user may not listen on port 80\. .*PORT=3000$/],
  ['EACCES', { syscall: 'listen', port: 90 }, /^This user may not listen on port 90\. .*: LECTERN_METRICS_PORT=9464$/],
  ['EADDRNOTAVAIL', { syscall: 'listen' }, /^HOST=10\.0\.0\.1 is not an address of this computer/],
  ['ENOTFOUND', { syscall: 'getaddrinfo' }, /^HOST=10\.0\.0\.1 is not an address of this computer/],
  ['EACCES', { path: '/books' }, /^\/books cannot be used: this user has no right to write there \(EACCES\)\./],
  ['EROFS', { path: '/books' }, /^\/books cannot be used: its file system is read-only \(EROFS\)\./],
  ['ENOSPC', { path: '/books' }, /^\/books cannot be used: the disk is full \(ENOSPC\)\./],
  ['ENOSPC', {}, /^The disk is full\. Free some space on it, then try again\. The data is in \/.*\/data\.$/],
  [14_031, { name: 'MongoServerError' }, /^The database has no space left\. Free some space on its disk, then/],
  ['EIO', { path: '/books' }, /^\/books cannot be used: EIO\./],
])('the failure %s with %j is explained', ([code, fields, says]) => {
  const config = readConfig({ PORT: '80', LECTERN_METRICS_PORT: '90', HOST: '10.0.0.1' })
  expect(explainStartFailure(Object.assign(new Error('failed'), { code, ...fields }), config)).toMatch(says)
})

test('a defect is reported as a defect', () => {
  expect(explainStartFailure(new TypeError('x is not a function'), readConfig({}))).toBeNull()
})

test.for([
  ['/srv/backups', /LECTERN_BACKUP_TO\.$/],
  ['/srv', /LECTERN_BACKUP_TO\.$/],
  ['/var/lib/lectern', /LECTERN_DATA_DIR\.$/],
  ['/var', /LECTERN_DATA_DIR\.$/],
] as const)('a failure at %s names the setting of that folder', ([path, says]) => {
  const config = readConfig({ LECTERN_DATA_DIR: '/var/lib/lectern', LECTERN_BACKUP_TO: '/srv/backups' })
  expect(explainStartFailure(Object.assign(new Error('failed'), { code: 'EROFS', path }), config)).toMatch(says)
})
