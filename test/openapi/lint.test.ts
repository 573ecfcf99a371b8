import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { tools } from '../../tools/index.ts'
import { describeWith } from '../support/system-needs.ts'
import { needOf, redocly, spectral } from './client-tools.ts'

const run = promisify(execFile)
let folder: string
let document: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-openapi-'))
  document = join(folder, 'openapi.json')
  const described = openApiDocument({ tools, baseUrl: 'https://books.lectern.dev', version: '1.0.0' })
  await writeFile(document, JSON.stringify(described))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('similar paths share no method, so that no request is ambiguous', () => {
  const { paths } = openApiDocument({ tools, baseUrl: 'https://books.lectern.dev', version: '1.0.0' })
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method })),
  )
  const couldMeet = (one: string, other: string) => {
    const [left, right] = [one.split('/'), other.split('/')]
    const isOpen = (part = '') => part.startsWith('{')
    return (
      left.length === right.length &&
      left.every((part, index) => part === right[index] || isOpen(part) || isOpen(right[index])) &&
      // The first part in which only one of the paths is open decides.
      left.some((part, index) => isOpen(part) && !isOpen(right[index])) &&
      right.some((part, index) => isOpen(part) && !isOpen(left[index]))
    )
  }
  for (const one of routes)
    for (const other of routes)
      expect(one.method === other.method && couldMeet(one.path, other.path), `${one.path} ${other.path}`).toBe(false)
})

describeWith(needOf(redocly))('Redocly', () => {
  test('reports no errors and no warnings', { timeout: 120_000 }, async () => {
    const config = join(import.meta.dirname, 'redocly.yaml')
    const { stdout } = await run(redocly, [
      'lint',
      document,
      '--config',
      config,
      '--format',
      'json',
      '--max-problems',
      '1000',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
  })
})

describeWith(needOf(spectral))('Spectral', () => {
  test('reports no errors and no warnings', { timeout: 120_000 }, async () => {
    const ruleset = join(folder, 'ruleset.yaml')
    await writeFile(ruleset, 'extends: ["spectral:oas"]\n')
    const { stdout } = await run(spectral, ['lint', '--ruleset', ruleset, '--format', 'json', '--quiet', document])
    expect(JSON.parse(stdout)).toEqual([])
  })
})
