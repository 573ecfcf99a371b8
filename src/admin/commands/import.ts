import { basename, resolve } from 'node:path'
import { z } from 'zod'
import type { Account } from '../../core/account.ts'
import { importFiles } from '../../folders/import-files.ts'
import type { ImportProgress } from '../../folders/import-report.ts'
import { openBookSource } from '../../folders/open-book-source.ts'
import { openRemoteCatalogue } from '../../folders/remote-catalogue.ts'
import { tellOfFolder } from '../../folders/tell-of-folder.ts'
import { planImport } from '../../folders/plan-import.ts'
import { createAccountContext } from './account-context.ts'
import { defineCommand, type AdminContext, type CommandResult } from './command.ts'
import { describeImport, describePlan } from './describe-import.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { createImportHelper } from './run-waiting-imports.ts'

export const importFolder = defineCommand({
  name: 'import',
  usage: '--from DIR|ADDRESS --email E [--wait] [--dry-run]',
  summary:
    "Add all books of a folder, of a Calibre library, or of an OPDS catalogue at an address, to an account's library: folders, series and tags become shelves. " +
    'What is there already is not added again, so the command may be repeated. --wait: until the imports have ended. --dry-run: only say what would be done.',
  options: z.strictObject({
    from: z.string().min(1),
    email: Email,
    wait: z.literal(true).optional(),
    dryRun: z.literal(true).optional(),
  }),
  async run(admin, { from, email, wait = false, dryRun = false }) {
    const owner = await findAccountByEmail(admin.services, email)
    return interruptible((signal) => runImportOf(admin, { owner, from, wait, dryRun, signal }))
  },
})

interface ImportRequest {
  owner: Account
  /** A folder, or the address of a catalogue. */
  from: string
  wait: boolean
  dryRun: boolean
  signal: AbortSignal
}

async function runImportOf(
  admin: AdminContext,
  { owner, from, wait, dryRun, signal }: ImportRequest,
): Promise<CommandResult> {
  const ctx = createAccountContext(admin, owner)
  const isAddress = /^https?:\/\//i.test(from)
  admin.progress.show(isAddress ? 'Reading the catalogue …' : 'Reading the folder …', null)
  const source = isAddress
    ? await openRemoteCatalogue(from, { accountId: owner.id, credentials: admin.config.catalogue, signal })
    : await openBookSource(resolve(admin.currentFolder, from))
  const helper = createImportHelper(admin)
  try {
    if (dryRun) return describePlan(await planImport(ctx, source, signal))
    const onProgress = (progress: ImportProgress) => showProgress(admin, progress)
    const report = await importFiles(ctx, source, { wait, signal, onProgress, help: helper.help })
    const added = { count: report.added, only: null }
    const place = isAddress
      ? `the catalogue at ${new URL(from).host}`
      : `the folder ${basename(resolve(admin.currentFolder, from))}`
    await tellOfFolder(ctx, { accountId: owner.id, from: place, added, refused: report.refused })
    return describeImport(report, owner)
  } finally {
    await helper.close()
    await source.close()
  }
}

/** Runs until its end or the first Ctrl-C; a second one ends the process. */
async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = () => controller.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    return await run(controller.signal)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

function showProgress({ progress }: AdminContext, { done, total, pages, secondsLeft }: ImportProgress): void {
  const percent = total === 0 ? null : Math.floor((100 * done) / total)
  const left = secondsLeft === null ? '' : `, about ${durationOf(secondsLeft)} left`
  progress.show('Importing …', percent, ` (${done} of ${total} files, ${pages.toLocaleString('en')} pages${left})`)
}

function durationOf(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
