import type { Call } from '../core/context.ts'

/** The transport and the kind of credential of a call, such as `mcp/key`. */
export function describeCaller({ transport, actor }: Pick<Call, 'transport' | 'actor'>): string {
  return `${transport}/${actor.credential.kind}`
}
