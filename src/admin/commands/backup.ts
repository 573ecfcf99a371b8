import { resolve } from 'node:path'
import { z } from 'zod'
import { backUpToFile } from '../../backup/backup-file.ts'
import type { Manifest } from '../../backup/manifest.ts'
import type { Totals } from '../../backup/parts.ts'
import { writeBackup } from '../../backup/write-backup.ts'
import { defineCommand, type AdminContext, type CommandResult } from './command.ts'
import { readOptions, UsageError } from './read-options.ts'
import type { Command } from './command.ts'

const declaration = {
  name: 'backup',
  usage: '--to FILE|-',
  summary:
    'Write the whole library into one file (tar, compressed with Zstandard) while the server runs; - is standard output. ' +
    'Prints the path of the file, whose folder must exist.',
  options: z.strictObject({ to: z.string().min(1) }),
}

const toFile = defineCommand({
  ...declaration,
  async run(admin, { to }): Promise<CommandResult> {
    const path = resolve(admin.currentFolder, to)
    const { bytes, ...manifest } = await backUpToFile(libraryOf(admin), path, optionsOf(admin))
    return { json: { file: path, bytes, ...reportOf(manifest) }, text: path, remarks: remarksOf(manifest, admin) }
  },
})

/** Writes a backup to a file or to standard output. */
export const backup: Command = {
  ...declaration,
  async execute(access, rawOptions) {
    if (readOptions(declaration, rawOptions).to !== '-') return toFile.execute(access, rawOptions)
    if (process.stdout.isTTY)
      throw new UsageError('--to - writes an archive to standard output: redirect it into a file or a program')
    const admin = await access.open({ makesStore: false })
    try {
      const manifest = await writeBackup(libraryOf(admin), process.stdout, optionsOf(admin))
      admin.progress.clear()
      for (const remark of remarksOf(manifest, admin)) process.stderr.write(`${remark}\n`)
      return null
    } finally {
      admin.progress.clear()
      await admin.close()
    }
  },
}

/** The library that a command works on. */
export function libraryOf({ database, services, secret, config }: AdminContext) {
  return { database, files: services.files, secret, url: config.mongodbUrl, directory: config.dataDir }
}

function optionsOf({ config, services, progress }: AdminContext) {
  return {
    withSecret: config.secret === undefined,
    at: services.now(),
    show: (stage: string, percent: number | null) => progress.show(stage, percent),
  }
}

function reportOf({ at, isOneMoment, collections, files, missing, erased }: Manifest) {
  return { at, isOneMoment, collections, files, missing, erased }
}

function remarksOf(manifest: Manifest, { config }: AdminContext): string[] {
  const secret =
    config.secret === undefined
      ? 'The backup contains the secret of this server: protect it like a password.'
      : 'The backup does not contain LECTERN_SECRET: store the secret with the backup. Without it, invitation links and sealed values cannot be read.'
  return [`${amountOf(manifest)}.`, secret, ...lossesOf(manifest)]
}

/** What a backup or a copy lacks, as sentences. */
export function lossesOf({ isOneMoment, missing }: Pick<Manifest, 'isOneMoment' | 'missing'>): string[] {
  return [
    ...(isOneMoment
      ? []
      : [
          'This database offers no snapshots (readConcern "snapshot" needs a replica set): the result may contain parts of what was written in the meantime. Check it with lectern doctor, or repeat the command while no server runs.',
        ]),
    ...(missing.length === 0
      ? []
      : [`${missing.length} files of books are missing from the store of files: ${missing.slice(0, 5).join(', ')}`]),
  ]
}

/** The size of a library, for people. */
export function amountOf({ collections, files }: Totals): string {
  const documents = Object.values(collections).reduce((sum, { count }) => sum + count, 0)
  return `${documents} documents and ${files.count} files with ${files.bytes} bytes`
}
