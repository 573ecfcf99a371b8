import { counted } from '../../text/counted.ts'
import type { Account } from '../../core/account.ts'
import type { ImportReport } from '../../folders/import-report.ts'
import type { ImportPlan } from '../../folders/plan-import.ts'
import type { TallyRow } from '../../folders/tally.ts'
import type { CommandResult } from './command.ts'

/** The result of a folder import, for people and as JSON. Exit status 1 if something failed or it ended early. */
export function describeImport(report: ImportReport, { email }: Pick<Account, 'email'>): CommandResult {
  const { added, existing, copies, waiting, pages, shelves, leftOut, failed, needAttention, notKept, stopped } = report
  const counts = [
    `${counted(added, 'book')} added`,
    `${existing} in the library already`,
    ...(copies > 0 ? [`${copies} found twice`] : []),
    `${sumOf(leftOut)} left out`,
    `${sumOf(failed)} failed`,
  ]
  const remarks = [
    ...(pages > 0 ? [pages === 1 ? '1 page was read.' : `${pages.toLocaleString('en')} pages were read.`] : []),
    ...(shelves.created + shelves.placed > 0
      ? [`Shelves: ${shelves.created} created, ${counted(shelves.placed, 'book')} placed on shelves.`]
      : []),
    ...listOf('Left out', leftOut),
    ...listOf('Failed', failed),
    ...listOf('Imported, but needing attention', needAttention),
    ...listOf('Shelves that could not be created', shelves.notMade),
    ...listOf('In the catalogue, but not imported', notKept),
    ...endOf(report, email),
  ]
  const ok = failed.length === 0 && stopped === null && shelves.notMade.length === 0
  return { json: { dryRun: false, ...report, waiting }, text: `${counts.join(', ')}.`, remarks, ok }
}

function endOf({ waiting, stopped, added, found }: ImportReport, email: string): string[] {
  const stillWaiting = `${importsOf(waiting)} not imported yet. A running server imports them in the background; without one, repeat the command with --wait. To see the progress: lectern job list --email ${email}, or /imports in a browser.`
  const again = 'Repeat the command to continue: nothing is added twice.'
  if (stopped === null) return waiting > 0 ? [stillWaiting] : []
  const first =
    stopped.code === 'INTERRUPTED'
      ? `Interrupted after ${counted(added, 'book')} of ${found} files.`
      : `The import ended at a limit, after ${counted(added, 'book')} of ${found} files. ${stopped.message}`
  return [first, ...(waiting > 0 ? [stillWaiting] : []), again]
}

/** A preview of a folder import. */
export function describePlan(plan: ImportPlan): CommandResult {
  const { added, bytes, existing, copies, newShelves, leftOut, failed, notKept, tooMany, bytesTooMany } = plan
  const size = (bytes / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 1 })
  const counts = [
    `${counted(added, 'book')} would be added (${size} MB)`,
    `${existing} in the library already`,
    ...(copies > 0 ? [`${copies} found twice`] : []),
    `${sumOf(leftOut)} left out`,
    `${sumOf(failed)} failed`,
  ]
  const shown = newShelves.slice(0, 20).join(', ')
  const remarks = [
    ...(newShelves.length > 0
      ? [
          `${newShelves.length} new ${newShelves.length === 1 ? 'shelf' : 'shelves'}: ${shown}${more(newShelves.length, 20)}.`,
        ]
      : []),
    ...listOf('Left out', leftOut),
    ...listOf('Failed', failed),
    ...listOf('In the catalogue, but not imported', notKept),
    ...(tooMany > 0
      ? [`The plan has no room for ${tooMany} of the books. Delete books, or ask for a larger plan.`]
      : []),
    ...(bytesTooMany > 0
      ? [`The storage of the plan is too small by ${Math.ceil(bytesTooMany / 1024 / 1024)} MB for the files alone.`]
      : []),
    'Nothing was changed.',
  ]
  return { json: { dryRun: true, ...plan }, text: `${counts.join(', ')}.`, remarks }
}

const shownNames = 3

/** Rows as lines below a heading: number, reason, and the first names. */
function listOf(heading: string, rows: readonly TallyRow[]): string[] {
  if (rows.length === 0) return []
  const lines = rows.map(({ reason, count, names }) => {
    return `  ${count} × ${reason}: ${names.slice(0, shownNames).join(', ')}${more(count, shownNames)}`
  })
  return [`${heading}:`, ...lines]
}

function more(count: number, shown: number): string {
  return count > shown ? ' …' : ''
}

function sumOf(rows: readonly TallyRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0)
}

function importsOf(count: number): string {
  return count === 1 ? '1 book is' : `${count} books are`
}
