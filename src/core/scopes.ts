/** The four permissions that a key or token can carry (contract, Authentication 4). */
export const scopes = ['library:read', 'library:write', 'marketplace:read', 'marketplace:write'] as const

export type Scope = (typeof scopes)[number]

/** True when a tool with this scope changes something. */
export function isWriteScope(scope: Scope): boolean {
  return scope.endsWith(':write')
}

/** The permissions among what a key or a token was given, in our order; what is unknown gives nothing. */
export function grantedScopes(given: readonly string[]): Scope[] {
  return scopes.filter((scope) => given.includes(scope))
}
