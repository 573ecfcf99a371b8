import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../app/config.ts'
import { copyLibrary } from '../../backup/copy.ts'
import { writeSecretFile } from '../../backup/secret-file.ts'
import { openPlace } from './open-place.ts'
import { amountOf, lossesOf, libraryOf } from './backup.ts'
import { defineCommand, type AdminContext } from './command.ts'

const mongodbUrl = /^mongodb(\+srv)?:\/\//
const bucketUrl = /^s3:\/\/([^/]+)\/?$/

/** Copies the library to a database or to a data directory. */
export const copy = defineCommand({
  name: 'copy',
  usage: '--to MONGODB_URL|FOLDER [--files s3://BUCKET|FOLDER]',
  summary:
    'Copy the library into an empty database, or into an empty data directory with the embedded store, and compare the ' +
    'result. Into a data directory, the files are copied too; to a database, only with --files. ' +
    'Buckets use the S3 settings. Before a move, stop the server.',
  options: z.strictObject({
    to: z.string().min(1),
    files: z
      .string()
      .min(1)
      .refine((files) => !files.includes('://') || bucketUrl.test(files), 'must be s3://BUCKET or a folder')
      .optional(),
  }),
  async run(admin, { to, files }) {
    const { config, progress, currentFolder } = admin
    const isDatabase = mongodbUrl.test(to)
    const dataDir = isDatabase ? config.dataDir : resolve(currentFolder, to)
    const place = await openPlace({
      ...config,
      mongodbUrl: isDatabase ? to : undefined,
      dataDir,
      source: '--to',
      files: filesPlace(config, { files, currentFolder, dataDir, isDatabase }),
    })
    try {
      const { totals, ...rest } = await copyLibrary(libraryOf(admin), place, {
        show: (stage, percent) => progress.show(stage, percent),
        keepSecret: async () => {
          if (!isDatabase && config.secret === undefined) await writeSecretFile(dataDir, admin.secret)
        },
      })
      return {
        json: { place: place.name, ...totals, ...rest },
        text: place.name,
        remarks: [
          `Copied and compared ${amountOf(totals)}.`,
          ...lossesOf(rest),
          ...advice(admin, { isDatabase, hasFiles: place.files !== null }),
        ],
      }
    } finally {
      await place.close()
    }
  },
})

interface FilesTarget {
  files: string | undefined
  currentFolder: string
  dataDir: string
  isDatabase: boolean
}

function filesPlace(config: Config, { files, currentFolder, dataDir, isDatabase }: FilesTarget) {
  const bucket = files && bucketUrl.exec(files)?.[1]
  if (bucket) return { driver: 's3' as const, bucket, ...config.s3 }
  if (files !== undefined) return resolve(currentFolder, files)
  return isDatabase ? null : join(dataDir, 'files')
}

function advice(
  { config }: AdminContext,
  { isDatabase, hasFiles }: { isDatabase: boolean; hasFiles: boolean },
): string[] {
  return [
    ...(isDatabase && !hasFiles ? ['The files were not copied: the new server needs the same store of files.'] : []),
    config.secret !== undefined
      ? 'The new server needs the same LECTERN_SECRET.'
      : isDatabase
        ? `Processes on other machines need LECTERN_SECRET, which is in ${join(config.dataDir, 'secret')}.`
        : 'The secret was copied too.',
    'The copy does not contain what is written to the old place from now on.',
  ]
}
