import { compareStrings } from '../bson/compare.ts'
import { arrayIndex } from '../bson/path.ts'
import { asDoc, fieldOf, setField } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'

/** Returns the array index that the filter matched in the document, for a positional `$`. */
export type FindPosition = () => number | undefined

/**
 * The change of one operator: takes the value at its path (`undefined`: missing) and returns the new value, or the same
 * value if nothing changes.
 */
export type Apply = (value: Value) => Value

/** One operator at one path. */
export type Modifier = {
  readonly path: string
  readonly apply: Apply
  /** What happens if a scalar or an array blocks the path: refused as `create` or `traverse`, or ignored. */
  readonly blocked: 'create' | 'traverse' | 'ignore'
}

/** Modifiers merged by path; children are kept in the order in which MongoDB applies them. */
export type Tree = { path: string; children: Map<string, Tree | Modifier> }

/** Maximum number of nulls that are written before an element beyond the end of an array. */
const maxPadding = 1_500_000

const isTree = (node: Tree | Modifier): node is Tree => 'children' in node

/** Merges all modifiers of one update; refuses two on the same path, or one inside another (code 40). */
export function buildTree(modifiers: readonly Modifier[]): Tree {
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
  for (const child of tree.children.values()) if (isTree(child)) sortChildren(child)
}

/** Applies all modifiers to a copy; returns the same document if nothing changed. */
export function applyTree(tree: Tree, doc: Doc, position: FindPosition): Doc {
  let copy = doc
  for (const [name, child] of tree.children) {
    const field = name === '$' ? String(matchedIndex(position)) : name
    const before = fieldOf(doc, field)
    const after = applyNode(child, before, position)
    if (after === before) continue
    if (copy === doc) copy = { ...doc }
    if (after === undefined) delete copy[field]
    else setField(copy, field, after)
  }
  return copy
}

function matchedIndex(position: FindPosition): number {
  const index = position()
  if (index !== undefined) return index
  throw new CommandError('BadValue', 'The positional operator did not find the match needed from the query.')
}

function applyNode(node: Tree | Modifier, value: Value, position: FindPosition): Value {
  if (!isTree(node)) return node.apply(value)
  if (Array.isArray(value)) return applyToArray(node, value, position)
  if (value === undefined) {
    const created = applyTree(node, {}, position)
    return Object.keys(created).length > 0 ? created : undefined
  }
  const doc = asDoc(value)
  if (doc) return applyTree(node, doc, position)
  refuseBlocked(node)
  return value
}

/** Refuses the modifiers below a path that runs into a scalar or array, unless they ignore blocked paths. */
function refuseBlocked(node: Tree | Modifier, above = ''): void {
  if (isTree(node)) {
    for (const child of node.children.values()) refuseBlocked(child, node.path)
    return
  }
  if (node.blocked === 'ignore') return
  const field = node.path.slice(above.length + 1)
  throw new CommandError(
    'PathNotViable',
    node.blocked === 'create'
      ? `Cannot create field '${field}' in element {${above}}`
      : `Cannot use the part (${field}) of (${node.path}) to traverse the element ({${above}})`,
  )
}

function applyToArray(tree: Tree, array: Value[], position: FindPosition): Value[] {
  let copy = array
  for (const [index, node] of targets(tree, position)) {
    const before = array[index]
    const after = applyNode(node, before, position)
    if (after === before) continue
    if (copy === array) copy = array.slice()
    if (index - copy.length > maxPadding) {
      throw new CommandError('BadValue', `can't backfill more than ${maxPadding} nulls`)
    }
    while (copy.length < index) copy.push(null)
    copy[index] = after === undefined ? null : after
  }
  return copy
}

/** The array elements that the tree's children address, one child per element. */
function targets(tree: Tree, position: FindPosition): Map<number, Tree | Modifier> {
  const found = new Map<number, Tree | Modifier>()
  for (const [name, child] of tree.children) {
    const index = name === '$' ? matchedIndex(position) : arrayIndex(name)
    if (index < 0) refuseBlocked(child, tree.path)
    else if (found.has(index)) throw conflict(child.path, `${tree.path}.${index}`)
    else found.set(index, child)
  }
  return found
}
