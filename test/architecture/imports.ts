import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Import {
  /** Both paths are relative to the root of the repository, with forward slashes. */
  from: string
  to: string
  /** Whether the import is erased when the program runs. */
  typeOnly: boolean
  /** Whether it is an `import()` inside a function, which is loaded when it is needed. */
  lazy: boolean
}

export interface SourceFile {
  path: string
  lines: number
  imports: Import[]
  /** The imported packages, by the names in import specifiers. */
  packages: string[]
}

/** Returns the source files of some folders below `top`, sorted by path, with their imports. */
export function readSources(folders: readonly string[], top: string = root): SourceFile[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: top }))
  return files.sort().map((path) => readSource(path, top))
}

function readSource(path: string, top: string): SourceFile {
  const text = readFileSync(join(top, path), 'utf8')
  const { module } = parseSync(path, text)
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      name: moduleRequest.value,
      typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
      lazy: false,
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ name: moduleRequest.value, typeOnly: isType, lazy: false }] : [],
      ),
    ),
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const literal = /^'([^']*)'$/.exec(text.slice(start, end))?.[1]
      return literal ? [{ name: literal, typeOnly: false, lazy: true }] : []
    }),
  ]
  const imports = specifiers
    .filter(({ name }) => name.startsWith('.'))
    .map(({ name, ...kind }) => ({ from: path, to: relative(top, join(top, dirname(path), name)), ...kind }))
  const packages = specifiers.filter(({ name }) => !name.startsWith('.')).map(({ name }) => name)
  return { path, lines: text.split('\n').length - 1, imports: mergeImports(imports), packages }
}

/** Joins the imports between two files into one: a value import if any of them is one. */
function mergeImports(imports: readonly Import[]): Import[] {
  const merged = new Map<string, Import>()
  for (const one of imports) {
    const known = merged.get(one.to)
    if (known) Object.assign(known, { typeOnly: known.typeOnly && one.typeOnly, lazy: known.lazy && one.lazy })
    else merged.set(one.to, { ...one })
  }
  return [...merged.values()]
}

/** Returns the cycles: groups of two or more nodes that reach each other (Tarjan's strongly connected components). */
export function cyclesOf(edges: Iterable<readonly [from: string, to: string]>): string[][] {
  const next = new Map<string, string[]>()
  for (const [from, to] of edges) if (from !== to) next.set(from, [...(next.get(from) ?? []), to])
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (node: string): number => {
    const own = index.size
    index.set(node, own)
    low.set(node, own)
    stack.push(node)
    for (const target of next.get(node) ?? []) {
      if (!index.has(target)) low.set(node, Math.min(low.get(node) ?? own, visit(target)))
      else if (stack.includes(target)) low.set(node, Math.min(low.get(node) ?? own, index.get(target) ?? own))
    }
    if (low.get(node) === own) {
      const group = stack.splice(stack.indexOf(node))
      if (group.length > 1) found.push(group.sort())
    }
    return low.get(node) ?? own
  }
  for (const node of next.keys()) if (!index.has(node)) visit(node)
  return found
}
