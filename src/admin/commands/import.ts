import { basename, resolve } from 'node:path'
import { z } from 'zod'
import type { Account } from '../../core/account.ts'
import type { BookSource } from '../../folders/book-source.ts'
import { importFiles } from '../../folders/import-files.ts'
import type { ImportProgress } from '../../folders/import-report.ts'
import { openBookSource } from '../../folders/open-book-source.ts'
import { openRemoteCatalogue } from '../../folders/remote-catalogue.ts'
import { notifyOfFolder } from '../../folders/notify-of-folder.ts'
import { planImport } from '../../folders/plan-import.ts'
import { withCredentials } from './catalogue-credentials.ts'
import { createAccountContext } from './account-context.ts'
import { defineCommand, type AdminContext, type CommandResult } from './command.ts'
import { describeImport, describePlan } from './describe-import.ts'
import { UsageError } from './read-options.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { createImportHelper } from './run-waiting-imports.ts'

export const importFolder = defineCommand({
  name: 'import',
  usage: '--from DIR|ADDRESS --email E [--wait] [--dry-run] [--user U] [--password -]',
  summary:
    "Add all books of a folder, of a Calibre library, or of an OPDS catalogue at an address, to an account's library: folders, series and tags become shelves. " +
    'Books that are already there are not added again, so you can repeat the command. --wait: wait until the imports have ended. --dry-run: only say what would be done. ' +
    '--user and --password: for a catalogue that requires a sign-in; - asks for the password, or reads it from stdin.',
  options: z.strictObject({
    from: z.string().min(1),
    email: Email,
    wait: z.literal(true).optional(),
    dryRun: z.literal(true).optional(),
    user: z.string().min(1).optional(),
    password: z.literal('-', { error: 'must be -, which asks for the password or reads it from stdin' }).optional(),
  }),
  async run(admin, { from, email, wait = false, dryRun = false, user, password }) {
    const owner = await findAccountByEmail(admin.services, email)
    return interruptible((signal) => runImportOf(admin, { owner, from, wait, dryRun, signal, user, password }))
  },
})

interface ImportRequest {
  owner: Account
  /** A folder, or the URL of a catalogue. */
  from: string
  wait: boolean
  dryRun: boolean
  signal: AbortSignal
  user: string | undefined
  password: '-' | undefined
}

async function runImportOf(admin: AdminContext, request: ImportRequest): Promise<CommandResult> {
  const { owner, from, wait, dryRun, signal, user, password } = request
  const ctx = createAccountContext(admin, owner)
  const isAddress = /^https?:\/\//i.test(from)
  if (!isAddress && (user !== undefined || password !== undefined))
    throw new UsageError('--user and --password are for the address of a catalogue; --from names a folder')
  const source = isAddress ? await openCatalogue(admin, request) : await openFolder(admin, from)
  const helper = createImportHelper(admin)
  try {
    if (dryRun) return describePlan(await planImport(ctx, source, signal))
    const onProgress = (progress: ImportProgress) => showProgress(admin, progress)
    const report = await importFiles(ctx, source, { wait, signal, onProgress, help: helper.help })
    const added = { count: report.added, only: null }
    const place = isAddress
      ? `the catalogue at ${new URL(from).host}`
      : `the folder ${basename(resolve(admin.currentFolder, from))}`
    await notifyOfFolder(ctx, { accountId: owner.id, from: place, added, refused: report.refused })
    return describeImport(report, owner)
  } finally {
    await helper.close()
    await source.close()
  }
}

function openFolder({ progress, currentFolder }: AdminContext, from: string): Promise<BookSource> {
  progress.show('Reading the folder …', null)
  return openBookSource(resolve(currentFolder, from))
}

function openCatalogue(
  { progress, config }: AdminContext,
  { owner, from, signal, user, password }: ImportRequest,
): Promise<BookSource> {
  return withCredentials(
    { settings: config.catalogue, user, password },
    (credentials) => openRemoteCatalogue(from, { accountId: owner.id, credentials, signal }),
    {
      show: () => progress.show('Reading the catalogue …', null),
      clear: () => progress.clear(),
      canPrompt: progress.isShown,
    },
  )
}

/** Runs until the end or the first Ctrl-C; a second one ends the process. */
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
