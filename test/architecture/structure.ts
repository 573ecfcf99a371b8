import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { cyclesOf, readSources, root, type SourceFile } from './imports.ts'

/** The measurements of a code base, by name. */
export type Structure = Record<string, string | number>

/**
 * The top-level folder of a file: a domain or transport of `src`, `tools`, `oauth`. A file outside these folders counts
 * as a folder.
 */
export function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? second : top
}

/** Measures the sources below `top`: their sizes, the dependencies between folders, and the services of use cases. */
export function measureStructure(top: string = root): Structure {
  const files = readSources(['src', 'tools', 'oauth'], top)
  const lines = files.map((file) => file.lines).sort((a, b) => a - b)
  const imports = files.flatMap((file) => file.imports)
  const arrows = arrowsOf(imports)
  const running = arrowsOf(imports.filter(({ typeOnly }) => !typeOnly))
  const services = servicesOfUseCases(files, top)
  return {
    files: files.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    'lines of a file: median': quantile(lines, 0.5),
    'lines of a file: p90': quantile(lines, 0.9),
    'lines of a file: largest': lines.at(-1) ?? 0,
    'files of a folder: largest': Math.max(...countsOf(files.map(({ path }) => dirname(path))).values()),
    'folders and files at the first level': new Set(files.map(({ path }) => roomOf(path))).size,
    'arrows between them': arrows.length,
    'arrows at run time': running.length,
    'upward arrows': upward(arrows),
    'folders in a cycle': cyclesOf(arrows).flat().length,
    'folders in a cycle at run time': cyclesOf(running).flat().length,
    'files in a cycle, types included': cyclesOf(imports.map(({ from, to }) => [from, to] as const)).flat().length,
    'files that import core/context': files.filter(importsContext).length,
    'services a use case takes: median': services.length > 0 ? quantile(services, 0.5) : 'all of them',
    'services a use case takes: largest': services.at(-1) ?? 'all of them',
  }
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function importsContext({ imports }: SourceFile): boolean {
  return imports.some(({ to }) => to === 'src/core/context.ts' || to === 'src/context.ts')
}

/** Returns the pairs of different folders of which the first imports from the second. */
export function arrowsOf(imports: readonly { from: string; to: string }[]): [from: string, to: string][] {
  const pairs = imports.map(({ from, to }): [string, string] => [roomOf(from), roomOf(to)])
  const different = pairs.filter(([from, to]) => from !== to)
  return [...new Map(different.map((pair) => [pair.join(' '), pair])).values()]
}

/**
 * Estimates how many dependencies have to be removed before the rest has no cycle. The estimate is greedy: it orders
 * folders by what only imports them.
 */
function upward(arrows: readonly (readonly [from: string, to: string])[]): number {
  let left = [...arrows]
  let count = 0
  for (;;) {
    const nodes = new Set(left.flat())
    if (nodes.size === 0) return count
    const free = [...nodes].find((node) => !left.some(([from]) => from === node))
    const chosen = free ?? mostImported(nodes, left)
    if (free === undefined) count += left.filter(([from]) => from === chosen).length
    left = left.filter(([from, to]) => from !== chosen && to !== chosen)
  }
}

function mostImported(nodes: ReadonlySet<string>, arrows: readonly (readonly [string, string])[]): string {
  const surplus = (node: string) =>
    arrows.filter(([, to]) => to === node).length - arrows.filter(([from]) => from === node).length
  return [...nodes].sort((a, b) => surplus(b) - surplus(a))[0] ?? ''
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/**
 * For each exported function whose first parameter is a call (`Call & …`): how many services it uses, in ascending
 * order.
 */
function servicesOfUseCases(files: readonly SourceFile[], top: string): number[] {
  const texts = new Map(files.map(({ path }) => [path, readFileSync(join(top, path), 'utf8')]))
  const types = new Map<string, string[]>()
  for (const text of texts.values()) {
    for (const [, name = '', body = ''] of text.matchAll(
      /export type (\w+) =\s*((?:[\w<>', |]+\s*&\s*)*[\w<>', |]+)\n/g,
    )) {
      types.set(
        name,
        body.split('&').map((part) => part.trim()),
      )
    }
  }
  const expand = (name: string): string[] =>
    types.get(name)?.flatMap(expand) ?? (/^(Call|Clock)$|[^\w]/.test(name) ? [] : [name])
  const counts: number[] = []
  for (const [path, text] of texts) {
    if (!path.startsWith('src/')) continue
    for (const { start, end } of firstParametersOf(path, text)) {
      const parts = text
        .slice(start, end)
        .split('&')
        .map((part) => part.trim())
      if (parts.includes('Call')) counts.push(new Set(parts.flatMap(expand)).size)
    }
  }
  return counts.sort((a, b) => a - b)
}

/** Returns the positions of the types of the first parameters of exported functions. */
function firstParametersOf(path: string, text: string): { start: number; end: number }[] {
  const { program } = parseSync(path, text)
  return program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.declaration?.type !== 'FunctionDeclaration') return []
    const [first] = node.declaration.params
    const type = first && 'typeAnnotation' in first ? first.typeAnnotation?.typeAnnotation : undefined
    return type ? [{ start: type.start, end: type.end }] : []
  })
}
