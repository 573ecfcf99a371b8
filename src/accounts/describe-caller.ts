import type { Call } from '../core/context.ts'

/** How a call came in: the door and the kind of credential, such as `mcp/key`. */
export function describeCaller({ transport, actor }: Pick<Call, 'transport' | 'actor'>): string {
  return `${transport}/${actor.credential.kind}`
}
