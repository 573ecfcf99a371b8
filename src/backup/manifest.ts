import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { StartError } from '../core/start-error.ts'
import { schemaVersions } from '../db/installation.ts'

/** The version of the archive; a reader refuses a higher one. */
export const archiveFormat = 1

/** The names of entries in the archive. */
export const entryNames = {
  head: 'lectern.json',
  secret: 'secret',
  documents: 'store',
  files: 'files',
  checksums: 'checksums',
  manifest: 'manifest.json',
} as const

/** The first entry: what a reader must know before it reads on. */
export const Head = z.object({
  format: z.number(),
  /** The version of Lectern that wrote it. */
  lectern: z.string(),
  /** See `SchemaVersions`. */
  schema: z.number(),
  at: z.iso.datetime(),
})
export type Head = z.infer<typeof Head>

const Sum = z.object({ count: z.number(), hash: z.string() })

/** The last entry: an archive without it is not whole. */
export const Manifest = Head.extend({
  /** False: the database could not be read as of one moment. */
  isOneMoment: z.boolean(),
  collections: z.record(z.string(), Sum),
  files: Sum.extend({ bytes: z.number() }),
  /** Keys of files that books should have and had not. */
  missing: z.array(z.string()),
  /** Ids of books that were erased while the backup was made. */
  erased: z.array(z.string()),
  /** Tells whether another place has the same secret. */
  secretMark: z.string(),
})
export type Manifest = z.infer<typeof Manifest>

/** Throws `StartError` for an archive that this version cannot read. */
export function checkHead({ format, schema, lectern }: Head): void {
  if (format <= archiveFormat && schema <= schemaVersions.known) return
  throw new StartError(
    `Lectern ${lectern} made this backup, and this version is too old for it (format ${format}, schema ${schema}; known are ${archiveFormat} and ${schemaVersions.known}). Install that version, and restore with it.`,
  )
}

/** What tells secrets apart without telling them. */
export function markOfSecret(secret: string): string {
  return createHmac('sha256', secret).update('lectern backup').digest('hex').slice(0, 32)
}
