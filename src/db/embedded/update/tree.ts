import { CommandError } from '../errors/command-error.ts'
import { arrayIndex } from '../bson/path.ts'
import { asDoc, compareStrings, fieldOf, setField } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** What the modifiers of one update know about the document at hand. */
export type Context = {
  root: Doc
  inserting: boolean
  filters: ReadonlyMap<string, (element: Value) => boolean>
  position(): number | undefined
}

/** One operator at one path: gets the value there (`undefined` = missing) and answers the new one, the same one for "no change". */
export type Modifier = {
  readonly operator: string
  readonly path: string
  apply(value: Value, context: Context): Value
  /** What happens where a scalar or an array bars the path: refused as `create` or `traverse`, or nothing to do. */
  readonly barred: 'create' | 'traverse' | 'ignore'
}

/** The change itself, see Modifier. */
export type Apply = Modifier['apply']

/** Modifiers merged by path; children are kept in the order in which MongoDB applies them. */
export type Tree = { path: string; children: Map<string, Tree | Modifier> }

const MAX_PADDING = 1_500_000

const isTree = (node: Tree | Modifier): node is Tree => 'children' in node

/** Merges all modifiers of one update; two on the same path, or one inside the other, are refused (code 40). */
export function buildTree(modifiers: Modifier[]): Tree {
  const root: Tree = { path: '', children: new Map() }
  for (const modifier of modifiers) insert(root, modifier)
  sortChildren(root)
  return root
}

function insert(root: Tree, modifier: Modifier): void {
  const parts = modifier.path.split('.')
  let node = root
  for (const [at, part] of parts.entries()) {
    const child = node.children.get(part)
    const last = at === parts.length - 1
    const path = parts.slice(0, at + 1).join('.')
    if (child !== undefined && (last || !isTree(child))) throw conflict(modifier.path, path)
    if (last) node.children.set(part, modifier)
    else {
      const next: Tree = child ?? { path, children: new Map() }
      node.children.set(part, next)
      node = next
    }
  }
}

function conflict(path: string, at: string): CommandError {
  return new CommandError(
    'ConflictingUpdateOperators',
    `Updating the path '${path}' would create a conflict at '${at}'`,
  )
}

/** The order in which MongoDB applies the children: numbers by value, names by their bytes. */
function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  const [x, y] = [arrayIndex(a), arrayIndex(b)]
  return x >= 0 && y >= 0 ? x - y : compareStrings(a, b)
}

function sortChildren(tree: Tree): void {
  tree.children = new Map([...tree.children].sort(byName))
  const filtered = [...tree.children.keys()].filter(isArrayFilter)
  if (filtered.length > 0 && filtered.length < tree.children.size) throw conflict(tree.path, tree.path)
  for (const child of tree.children.values()) if (isTree(child)) sortChildren(child)
}

function isArrayFilter(name: string): boolean {
  return name.startsWith('$[') && name.endsWith(']')
}

/** The array filter identifiers in the tree, each with a path that uses it. */
export function collectIdentifiers(tree: Tree): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, child] of tree.children) {
    if (isArrayFilter(name) && name !== '$[]') found.set(name.slice(2, -1), child.path)
    if (isTree(child)) for (const [identifier, path] of collectIdentifiers(child)) found.set(identifier, path)
  }
  return found
}

/** Applies all modifiers to a copy; answers the document itself when nothing changed. */
export function applyTree(tree: Tree, doc: Doc, context: Context): Doc {
  return applyToDoc(tree, doc, context)
}

function applyNode(node: Tree | Modifier, value: Value, context: Context): Value {
  if (!isTree(node)) return node.apply(value, context)
  if (Array.isArray(value)) return applyToArray(node, value, context)
  const arrayUpdate = [...node.children.keys()].some(isArrayFilter)
  if (arrayUpdate) throw notAnArray(node, value)
  if (value === undefined) {
    const created = applyToDoc(node, {}, context)
    return Object.keys(created).length > 0 ? created : undefined
  }
  const doc = asDoc(value)
  if (doc) return applyToDoc(node, doc, context)
  refuseBarred(node)
  return value
}

function notAnArray(node: Tree, value: Value): CommandError {
  return new CommandError(
    'BadValue',
    value === undefined
      ? `The path '${node.path}' must exist in the document in order to apply array updates.`
      : `Cannot apply array updates to non-array element ${node.path}`,
  )
}

/** Refuses the modifiers below a path that runs into a scalar or array, unless they have nothing to do there. */
function refuseBarred(node: Tree | Modifier, above = ''): void {
  if (isTree(node)) {
    for (const child of node.children.values()) refuseBarred(child, node.path)
    return
  }
  if (node.barred === 'ignore') return
  const field = node.path.slice(above.length + 1)
  throw new CommandError(
    'PathNotViable',
    node.barred === 'create'
      ? `Cannot create field '${field}' in element {${above}}`
      : `Cannot use the part (${field}) of (${node.path}) to traverse the element ({${above}})`,
  )
}

function applyToDoc(tree: Tree, doc: Doc, context: Context): Doc {
  let copy = doc
  for (const [name, child] of tree.children) {
    const field = name === '$' ? String(matchedPosition(context)) : name
    const before = fieldOf(doc, field)
    const after = applyNode(child, before, context)
    if (after === before) continue
    if (copy === doc) copy = { ...doc }
    if (after === undefined) delete copy[field]
    else setField(copy, field, after)
  }
  return copy
}

function matchedPosition(context: Context): number {
  const position = context.position()
  if (position === undefined) {
    throw new CommandError('BadValue', 'The positional operator did not find the match needed from the query.')
  }
  return position
}

function applyToArray(tree: Tree, array: Value[], context: Context): Value[] {
  let copy = array
  for (const [index, node] of targets(tree, array, context)) {
    const before = array[index]
    const after = applyNode(node, before, context)
    if (after === before) continue
    if (copy === array) copy = array.slice()
    if (index - copy.length > MAX_PADDING)
      throw new CommandError('BadValue', `can't backfill more than ${MAX_PADDING} nulls`)
    while (copy.length < index) copy.push(null)
    copy[index] = after === undefined ? null : after
  }
  return copy
}

/** The elements that the tree's children address, in order; children that address the same element are merged. */
function targets(tree: Tree, array: Value[], context: Context): Map<number, Tree | Modifier> {
  const found = new Map<number, Tree | Modifier>()
  const add = (index: number, node: Tree | Modifier) => {
    const known = found.get(index)
    found.set(index, known ? merged(known, node) : node)
  }
  for (const [name, child] of tree.children) {
    if (isArrayFilter(name)) {
      const accepts = context.filters.get(name.slice(2, -1)) ?? (() => true)
      for (const [index, element] of array.entries()) if (accepts(element)) add(index, child)
    } else {
      const index = name === '$' ? matchedPosition(context) : arrayIndex(name)
      if (index < 0) refuseBarred(child, tree.path)
      else add(index, child)
    }
  }
  return found
}

function merged(a: Tree | Modifier, b: Tree | Modifier): Tree {
  if (!isTree(a) || !isTree(b)) throw conflict(b.path, a.path)
  const children = new Map(a.children)
  for (const [name, child] of b.children) {
    const known = children.get(name)
    children.set(name, known ? merged(known, child) : child)
  }
  return { path: a.path, children: new Map([...children].sort(byName)) }
}
