import type { Team } from '../../../teams/schema.ts'
import type { Html } from '../../components/html.ts'
import type { FormState } from '../../form.ts'

/** What the parts of a team's page need. */
export interface TeamView {
  team: Team
  /** OWNER and ADMIN, who invite and share with departments. */
  isManager: boolean
  isOwner: boolean
  /** A form that does one of `teamActions`. */
  form(action: string, content: Html, className?: string): Html
  state: FormState
  /** The action that was refused; null if none was. */
  failed: string | null
}
