import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor, type Expression, type Program, type TSTypeAnnotation } from 'oxc-parser'
import { expect, test } from 'vitest'
import { root } from './imports.ts'

interface Source {
  path: string
  text: string
  program: Program
}

const sources = globSync('{src,tools,oauth}/**/*.ts', { cwd: root })
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  .map((source): Source => ({ ...source, program: parseSync(source.path, source.text).program }))

/** The names of types that are `string` under another name. */
const aliases = sources.flatMap(({ text }) =>
  [...text.matchAll(/^export type (\w+) = string$/gm)].map(([, name]) => name),
)

/** Returns the tables of a file: object literals with entries whose type allows any string as a key. */
function tablesOf({ text, program }: Source): Set<string> {
  const keyed = new RegExp(String.raw`^:\s*(?:Readonly<\s*)?Record<\s*(?:${['string', ...aliases].join('|')})\b`)
  const isKeyed = (type: TSTypeAnnotation | null | undefined) =>
    keyed.test(type ? text.slice(type.start, type.end) : '')
  const names = new Set<string>()
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || init?.type !== 'ObjectExpression') return
      if (init.properties.some(({ type }) => type === 'Property') && isKeyed(id.typeAnnotation)) names.add(id.name)
    },
  }).visit(program)
  return names
}

const tables = new Map(sources.map((source) => [source.path, tablesOf(source)]))

function importedNames({ program }: Source): string[] {
  return program.body.flatMap((node) =>
    node.type === 'ImportDeclaration' ? node.specifiers.map(({ local }) => local.name) : [],
  )
}

const isConstant = ({ type }: { type: string }) => type === 'Literal'

/** Returns the lookups of computed names that would find what every object inherits, such as `constructor`. */
function unguardedLookups(source: Source): string[] {
  const { path, text, program } = source
  const everywhere = new Set([...tables.values()].flatMap((names) => [...names]))
  const own = new Set([...(tables.get(path) ?? []), ...importedNames(source).filter((name) => everywhere.has(name))])
  const found: string[] = []
  const isTable = (object: Expression | { type: 'Super' }) =>
    object.type === 'ObjectExpression' ||
    (object.type === 'Identifier' && own.has(object.name) && !text.includes(`Object.hasOwn(${object.name}, `))
  new Visitor({
    MemberExpression(node) {
      if (node.computed && !isConstant(node.property) && isTable(node.object))
        found.push(text.slice(node.start, node.end))
    },
    BinaryExpression(node) {
      const { operator, left } = node
      if (operator === 'in' && !isConstant(left)) found.push(text.slice(node.start, node.end))
    },
  }).visit(program)
  return found.map((lookup) => `${path}: ${lookup}`)
}

test('a table in which names are looked up is a Map, or Object.hasOwn guards it, because objects inherit names', () => {
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.flatMap(unguardedLookups)).toEqual([])
})
