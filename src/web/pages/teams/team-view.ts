import type { Team } from '../../../teams/schema.ts'
import type { Html } from '../../components/html.ts'
import type { FormState } from '../../form.ts'

/** The data for the sections of a team's page. */
export interface TeamView {
  team: Team
  /** True for OWNER and ADMIN, who invite and share with departments. */
  isManager: boolean
  isOwner: boolean
  /** True for an owner without whom the team would have none: they cannot leave or take another role. */
  isOnlyOwner: boolean
  /** The address of the signed-in account, who leaves instead of removing themselves. */
  ownEmail: string
  /** A form for one of `teamActions`. */
  form(action: string, content: Html, className?: string): Html
  state: FormState
  /** True if the server mails invitations; otherwise a leader sends the links. */
  sendsMail: boolean
  /** The action that was refused; null if none was. */
  failed: string | null
}
