import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Person } from '../support/server.ts'
import { describeWith } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'
import {
  needOf,
  oapiCodegen,
  openapiPythonClient,
  openapiTypescript,
  python,
  toolPath,
  typescript,
} from './client-tools.ts'

const run = promisify(execFile)
const server = useTestServer({ LECTERN_ROLE: 'web' })
const slow = 300_000
let person: Person
let folder: string
let document: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-clients-'))
  document = join(folder, 'openapi.json')
  await writeFile(document, await (await fetch(`${server.baseUrl}/api/v1/openapi.json`)).text())
})
beforeEach(async () => {
  person = await server.createPerson()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const source = (name: string) => join(import.meta.dirname, 'clients', name)

describeWith(needOf(openapiTypescript, typescript))('in TypeScript', () => {
  test('a client of openapi-typescript compiles and makes twelve calls', { timeout: slow }, async () => {
    const cwd = join(folder, 'typescript')
    await mkdir(cwd)
    await symlink(toolPath('npm', 'node_modules'), join(cwd, 'node_modules'))
    await writeFile(join(cwd, 'package.json'), '{ "type": "module" }')
    await run(openapiTypescript, [document, '-o', 'schema.d.ts'], { cwd })
    await copyFile(source('client.ts.txt'), join(cwd, 'client.ts'))
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
    ]
    await run(typescript, [...options, '--lib', 'es2024,dom', 'client.ts'], { cwd })
    const { stdout } = await run(process.execPath, ['client.ts', server.baseUrl, person.key], { cwd })
    expect(stdout.trim()).toBe('12 calls')
  })
})

describeWith(needOf(python, openapiPythonClient))('in Python', () => {
  test('a client of openapi-python-client makes twelve calls', { timeout: slow }, async () => {
    const cwd = join(folder, 'python')
    await mkdir(cwd)
    const options = ['generate', '--path', document, '--output-path', 'lectern', '--meta', 'none']
    await run(openapiPythonClient, options, { cwd })
    await copyFile(source('client.py'), join(cwd, 'client.py'))
    const { stdout } = await run(python, ['client.py', server.baseUrl, person.key], { cwd })
    expect(stdout.trim()).toBe('12 calls')
  })
})

describeWith(needOf(oapiCodegen))('in Go', () => {
  test('a client of oapi-codegen compiles and makes twelve calls', { timeout: slow }, async () => {
    const cwd = join(folder, 'go')
    await mkdir(join(cwd, 'lectern'), { recursive: true })
    await copyFile(source('client.go.txt'), join(cwd, 'main.go'))
    const options = ['-package', 'lectern', '-generate', 'types,client', '-o', 'lectern/lectern.go']
    await run(oapiCodegen, [...options, document], { cwd })
    await writeFile(join(cwd, 'go.mod'), 'module lectern\n\ngo 1.24\n')
    await run('go', ['get', 'github.com/oapi-codegen/runtime@v1.8.0'], { cwd })
    // Compiled like the tools (see install-tools.sh), so that their standard library is used again.
    await run('go', ['build', '-gcflags=all=-N -l', '-ldflags=-s -w', '-o', 'client', '.'], { cwd })
    const { stdout } = await run(join(cwd, 'client'), [server.baseUrl, person.key], { cwd })
    expect(stdout.trim()).toBe('12 calls')
  })
})
