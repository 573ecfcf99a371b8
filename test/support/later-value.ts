/** An object whose properties are those of a value that exists only once a hook has run; reading them before throws. */
export function laterValue<T extends object>(find: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_, name) {
      const value = find()
      if (!value) throw new Error('The server starts in a beforeAll hook: use it in tests and later hooks.')
      return Reflect.get(value, name)
    },
  })
}
