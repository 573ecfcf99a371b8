/** The four scopes of API keys and tokens (contract, Authentication 4). */
export const scopes = ['library:read', 'library:write', 'marketplace:read', 'marketplace:write'] as const

export type Scope = (typeof scopes)[number]

/** True for scopes of tools that write. */
export function isWriteScope(scope: Scope): boolean {
  return scope.endsWith(':write')
}

/** The known scopes among `given`, in declaration order; unknown ones are ignored. */
export function grantedScopes(given: readonly string[]): Scope[] {
  return scopes.filter((scope) => given.includes(scope))
}
