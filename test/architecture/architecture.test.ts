import { describe, expect, test } from 'vitest'
import { cyclesOf, readSources } from './imports.ts'
import { layers, packages } from './layers.ts'
import { arrowsOf, roomOf } from './structure.ts'

const files = readSources(['src', 'tools', 'oauth'])
const imports = files.flatMap((file) => file.imports)
const order = Object.keys(layers)

describe('the layers', () => {
  test('cover every folder, and no other', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].sort()).toEqual([...order].sort())
  })

  test('are listed bottom-up: each refers only to earlier layers', () => {
    for (const [index, [folder, allowed]] of Object.entries(layers).entries())
      for (const below of allowed) expect([folder, below, order.indexOf(below) < index]).toEqual([folder, below, true])
  })

  test.for(order)('%s imports only what its line lists', (folder) => {
    const found = arrowsOf(imports).flatMap(([from, to]) => (from === folder ? [to] : []))
    expect(found.sort()).toEqual([...(layers[folder] ?? [])].sort())
  })
})

describe('the files', () => {
  test('have no import cycles, including type imports', () => {
    expect(cyclesOf(imports.map(({ from, to }) => [from, to]))).toEqual([])
  })

  test('have no run-time import cycles between folders of src, at any depth', () => {
    const folderOf = (path: string) => path.split('/').slice(0, -1).join('/')
    const running = imports.filter(({ typeOnly, from }) => !typeOnly && from.startsWith('src/'))
    expect(running.length).toBeGreaterThan(1000)
    expect(cyclesOf(running.map(({ from, to }) => [folderOf(from), folderOf(to)]))).toEqual([])
  })

  test('of the application use the embedded store only through its start module', () => {
    const inside = imports.filter(
      ({ from, to }) => to.startsWith('src/db/embedded/') && !from.startsWith('src/db/embedded/'),
    )
    expect(inside.map(({ to }) => to)).toEqual(['src/db/embedded/start.ts'])
  })

  test('import a package only where their layer lists it', () => {
    const used = files.flatMap(({ path, packages: names }) =>
      names
        .filter((name) => !name.startsWith('node:') && packageOf(name) !== 'zod')
        .map((name) => ({ path, name: packageOf(name) })),
    )
    expect([...new Set(used.map(({ name }) => name))].sort()).toEqual(Object.keys(packages).sort())
    expect(used.filter(({ path, name }) => !canUse(path, packages[name] ?? []))).toEqual([])
  })
})

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function canUse(path: string, places: readonly string[]): boolean {
  const name = path.split('/').at(-1) ?? ''
  return places.some((place) => (place.endsWith('.ts') ? matches(name, place) : roomOf(path) === place))
}

function matches(name: string, pattern: string): boolean {
  return pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern
}
