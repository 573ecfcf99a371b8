import type { Call } from '../core/context.ts'

/** How a call came in: the door and the kind of credential, such as `mcp/key`. */
export function callerOf({ door, actor }: Pick<Call, 'door' | 'actor'>): string {
  return `${door}/${actor.credential.kind}`
}
