import type { Services } from '../core/context.ts'
import type { BoundTool } from '../core/tool.ts'
import type { FormTokens } from './form-token.ts'

/** What the pages of one server work with. */
export interface Site {
  services: Services
  tools: readonly BoundTool[]
  baseUrl: string
  formTokens: FormTokens
  /** Who may make an account: anybody, whoever was invited, nobody. */
  signUp: 'open' | 'invite' | 'closed'
  /** Whether assistants connect by signing in. */
  oauth: boolean
  /** How many proxies in front of the server name the client in `X-Forwarded-For`. */
  trustedProxies: number
}
