import { resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../app/config.ts'
import { fingerprintOfSecret, type Manifest } from '../../backup/manifest.ts'
import { openArchive, restoreArchive, verifyArchive } from '../../backup/restore.ts'
import { readSecretFile, writeSecretFile } from '../../backup/secret-file.ts'
import { eraseBinned } from '../../books/bin.ts'
import { markRemoving } from '../../books/mark-removing.ts'
import { removeBook } from '../../books/remove-book.ts'
import { openPlace } from './open-place.ts'
import type { AdminContext, Command, CommandAccess, CommandResult } from './command.ts'
import { amountOf, lossesOf } from './backup.ts'
import { readOptions } from './read-options.ts'

const declaration = {
  name: 'restore',
  usage: '--from FILE|-',
  summary:
    'Restore a backup into the empty place that the settings name: LECTERN_DATA_DIR, or LECTERN_MONGODB_URL and the files. ' +
    'The archive is verified first; from standard input (-), while it is restored.',
  options: z.strictObject({ from: z.string().min(1) }),
}

/** Restores a backup to an empty place. */
export const restore: Command = {
  ...declaration,
  async execute(access, rawOptions) {
    const { from } = readOptions(declaration, rawOptions)
    try {
      return await run(access, from)
    } finally {
      access.progress.clear()
    }
  },
}

async function run(access: CommandAccess, from: string): Promise<CommandResult> {
  const { config, progress } = access
  const show = (stage: string, percent: number | null) => progress.show(stage, percent)
  const path = from === '-' ? null : resolve(access.currentFolder, from)
  if (path !== null) await verifyArchive(path, show)
  const remarks: string[] = []
  const place = await openPlace(config)
  let manifest: Manifest
  try {
    const archive = path === null ? process.stdin : await openArchive(path, () => {})
    const keepSecret = async (secret: string | null, { secretMark }: Manifest) =>
      void remarks.push(...(await keepSecretOf(config, secret, secretMark)))
    manifest = await restoreArchive(archive, place, { show, keepSecret })
  } finally {
    await place.close()
  }
  if (manifest.erased.length > 0) await repeatErasures(access, manifest.erased)
  const { at, collections, files, missing, erased } = manifest
  return {
    json: { place: place.name, at, collections, files, missing, erased },
    text: place.name,
    remarks: [
      `Restored the library of ${at}: ${amountOf(manifest)}.`,
      ...remarks,
      ...lossesOf(manifest),
      'Check it: lectern doctor --deep',
    ],
  }
}

/** Stores the secret where the server reads it, or says which setting it needs. */
async function keepSecretOf({ secret: set, dataDir }: Config, secret: string | null, mark: string): Promise<string[]> {
  const known = set ?? secret ?? (await readSecretFile(dataDir))
  if (set === undefined && secret !== null) await writeSecretFile(dataDir, secret)
  if (known !== null && fingerprintOfSecret(known) === mark) return []
  return [
    'LECTERN_SECRET is not the secret of this backup, and the archive does not contain it: set LECTERN_SECRET to the one that the server had. Without it, invitation links and sealed values cannot be read.',
  ]
}

/**
 * Erases the books that their owners erased while the backup was being made, after its snapshot; their files are not in
 * it.
 */
async function repeatErasures(access: CommandAccess, ids: readonly string[]): Promise<void> {
  const admin = await access.open({ makesStore: false })
  try {
    for (const id of ids) await eraseBook(admin, id)
  } finally {
    await admin.close()
  }
}

async function eraseBook({ services }: AdminContext, id: string): Promise<void> {
  const [book] = await services.books.byIds([id])
  if (book) {
    const { markId } = await markRemoving(services, book.ownerId, { itemIds: [id] })
    await removeBook(services, book, markId)
    return
  }
  for await (const entry of services.bin.all()) if (entry.id === id) await eraseBinned(services, entry)
}
