import type { Declaration } from '../core/tool.ts'

/** The parts of a declaration that determine the schema of its arguments. */
type Input = Pick<Declaration, 'input' | 'idempotent'>

/** Memoizes a value derived from the input of a tool, once per process for all servers in it. */
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
