import type { BackupPlan, BackupState } from '../backup/scheduled.ts'
import { durationInWords } from '../text/duration-in-words.ts'
import { improvable, unwell, well, type Condition, type HealthCheck } from './check.ts'

/** How long after its time a backup may begin: until a process that was just started has made it, ms. */
const graceMs = 60 * 60_000

interface BackupCheckOptions {
  readState(): Promise<BackupState>
  /** The plan of this process; null: it makes no backups. */
  plan: BackupPlan | null
  now(): Date
}

/** Checks that the scheduled backups succeed. Other processes of the installation may make them. */
export function backupCheck({ readState, plan, now }: BackupCheckOptions): HealthCheck {
  return {
    name: 'backups',
    title: 'Backups',
    look: async () => describe(await readState(), plan, now()),
    remedy: 'See the log of the server.',
  }
}

function describe({ lastAt, leaseUntil, failure }: BackupState, plan: BackupPlan | null, at: Date): Condition {
  const ago = (then: Date) => `${durationInWords(at.getTime() - then.getTime())} ago`
  const last = lastAt === undefined ? 'There is no complete backup yet.' : `The last backup began ${ago(lastAt)}.`
  if (failure !== undefined)
    return unwell(
      `The last attempt failed ${ago(failure.at)}: ${failure.reason.replace(/\.$/, '')}. ${last}`,
      'Correct the cause. The server tries again every minute.',
    )
  if (plan === null && lastAt === undefined)
    return improvable(
      'This server makes no backups by itself.',
      'Set LECTERN_BACKUP_TO to a folder on another disk, or see that something else makes backups.',
    )
  if (leaseUntil !== undefined && leaseUntil > at) return well(`A backup is being made. ${last}`)
  const isOverdue =
    plan !== null && lastAt !== undefined && at.getTime() - lastAt.getTime() > plan.everyHours * 60 * 60_000 + graceMs
  if (isOverdue)
    return unwell(
      `${last} There should be one every ${durationInWords(plan.everyHours * 60 * 60_000)}.`,
      'Backups are made by a process with the role worker or all (LECTERN_ROLE). See that one runs, and what its log says.',
    )
  return well(last)
}
