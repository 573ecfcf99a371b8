import { expect, test } from 'vitest'
import { cyclesOf, readSources } from '../../architecture/imports.ts'
import { layers } from './readme.ts'

const files = readSources(['src/db/embedded'])
const imports = files.flatMap((file) => file.imports)
/** The position of a file's folder from the top layer down; -1 for the files that start the store. */
const layerOf = (path: string) => layers.findIndex((layer) => path.startsWith(`src/db/embedded/${layer}/`))

test('each folder of the embedded store imports only lower layers, and none imports its start module', () => {
  expect(imports.length).toBeGreaterThan(100)
  const upward = imports.filter(({ from, to }) => layerOf(to) < layerOf(from))
  expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('files of the embedded store have no import cycles, including type imports', () => {
  expect(cyclesOf(imports.map(({ from, to }) => [from, to]))).toEqual([])
})

test('the embedded store imports nothing from the application', () => {
  expect(imports.filter(({ to }) => !to.startsWith('src/db/embedded/'))).toEqual([])
})
