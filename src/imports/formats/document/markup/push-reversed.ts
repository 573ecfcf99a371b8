/** Pushes items onto a stack so that the first one is popped first. V8 limits the number of arguments of `push(...items)` to some 100,000. */
export function pushReversed<T>(stack: T[], items: readonly T[]): void {
  for (let at = items.length - 1; at >= 0; at--) stack.push(items[at] as T)
}
