import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

/** The root of the repository. */
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The features of the store that some sources use by name. */
export interface Issued {
  /** Operators, stages and variables: `$set`, `$$NOW`. */
  words: Map<string, string>
  /** The stages among them, found in calls of `aggregate`. */
  stages: Map<string, string>
  /** The accumulators among them, found in a `$group`. */
  accumulators: Map<string, string>
  /** Commands, by name. */
  commands: Map<string, string>
}

/**
 * The commands that the methods of the driver send. Methods are recognised by name, even if other objects have the same
 * names (`find`, `insertOne`).
 */
const methods: Record<string, readonly string[]> = {
  find: ['find'],
  findOne: ['find'],
  aggregate: ['aggregate'],
  countDocuments: ['aggregate'],
  estimatedDocumentCount: ['count'],
  distinct: ['distinct'],
  insertOne: ['insert'],
  insertMany: ['insert'],
  updateOne: ['update'],
  updateMany: ['update'],
  replaceOne: ['update'],
  deleteOne: ['delete'],
  deleteMany: ['delete'],
  bulkWrite: ['insert', 'update', 'delete'],
  findOneAndUpdate: ['findAndModify'],
  findOneAndReplace: ['findAndModify'],
  findOneAndDelete: ['findAndModify'],
  createIndex: ['createIndexes'],
  createIndexes: ['createIndexes'],
  dropIndex: ['dropIndexes'],
  dropIndexes: ['dropIndexes'],
  listIndexes: ['listIndexes'],
  indexExists: ['listIndexes'],
  createCollection: ['create'],
  dropCollection: ['drop'],
  renameCollection: ['renameCollection'],
  listCollections: ['listCollections'],
  dropDatabase: ['dropDatabase'],
  listDatabases: ['listDatabases'],
  buildInfo: ['buildInfo'],
  startTransaction: ['commitTransaction'],
  withTransaction: ['commitTransaction'],
}

/** Finds the features of the store that the source files use. The patterns are relative to the repository's root. */
export function readIssued(patterns: readonly string[], exclude: readonly string[] = []): Issued {
  const issued: Issued = { words: new Map(), stages: new Map(), accumulators: new Map(), commands: new Map() }
  for (const path of patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    if (exclude.some((folder) => path.startsWith(folder))) continue
    const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'))
    visit(program, (node) => readNode(issued, path, node))
  }
  return issued
}

type Node = { type: string; [field: string]: unknown }

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see)
  else if (value !== null && typeof value === 'object') {
    if ('type' in value && typeof value.type === 'string') see(value as Node)
    for (const one of Object.values(value)) visit(one, see)
  }
}

function readNode(issued: Issued, path: string, node: Node): void {
  if (node.type === 'Property') {
    const name = nameOf(node['key'])
    if (/^\$[a-z]/i.test(name)) issued.words.set(name, path)
    if (name === '$group') for (const one of accumulatorsOf(node['value'])) issued.accumulators.set(one, path)
  } else if (node.type === 'Literal' && typeof node['value'] === 'string') {
    if (/^\$\$[A-Z]/.test(node['value'])) issued.words.set(node['value'], path)
  } else if (node.type === 'CallExpression' && isNode(node['callee'], 'MemberExpression')) {
    const method = nameOf(node['callee']['property'])
    const [first] = node['arguments'] as unknown[]
    for (const command of commandsOf(method, first)) issued.commands.set(command, path)
    if (method === 'aggregate' && isNode(first, 'ArrayExpression')) {
      for (const stage of first['elements'] as unknown[])
        for (const name of keysOf(stage)) issued.stages.set(name, path)
    }
  }
}

function isNode(value: unknown, type: string): value is Node {
  return value !== null && typeof value === 'object' && 'type' in value && value.type === type
}

/** The properties of an object literal; empty for any other node. */
function propertiesOf(value: unknown): Node[] {
  return isNode(value, 'ObjectExpression')
    ? (value['properties'] as unknown[]).filter((one) => isNode(one, 'Property'))
    : []
}

function keysOf(value: unknown): string[] {
  return propertiesOf(value).map(({ key }) => nameOf(key))
}

function accumulatorsOf(group: unknown): string[] {
  return propertiesOf(group).flatMap(({ key, value }) => (nameOf(key) === '_id' ? [] : keysOf(value)))
}

function nameOf(value: unknown): string {
  const { type, name, value: literal } = value as Node
  return String(type === 'Literal' ? literal : (name ?? ''))
}

function commandsOf(method: string, first: unknown): readonly string[] {
  if (method === 'command') return keysOf(first).slice(0, 1)
  return Object.hasOwn(methods, method) ? (methods[method] ?? []) : []
}
