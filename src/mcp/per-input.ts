import type { Declaration } from '../core/tool.ts'

/** What the schema of the arguments is derived from. */
type Input = Pick<Declaration, 'input' | 'idempotent'>

/** Derives something from the input of a tool once in a process, whatever servers are started in it. */
export function perInput<T extends Input, R>(derive: (tool: T) => R): (tool: T) => R {
  const plain = new WeakMap<T['input'], R>()
  const keyed = new WeakMap<T['input'], R>()
  return (tool) => {
    const known = tool.idempotent ? keyed : plain
    const found = known.get(tool.input)
    if (found !== undefined) return found
    const derived = derive(tool)
    known.set(tool.input, derived)
    return derived
  }
}
