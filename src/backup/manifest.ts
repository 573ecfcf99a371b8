import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { StartError } from '../core/start-error.ts'
import { schemaVersions } from '../db/installation.ts'

/** The version of the archive format; readers refuse higher ones. */
export const archiveFormat = 1

/** Entry names of the archive. */
export const entryNames = {
  head: 'lectern.json',
  secret: 'secret',
  documents: 'store',
  files: 'files',
  checksums: 'checksums',
  manifest: 'manifest.json',
} as const

/** The first entry: what a reader needs to know before it continues. */
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

/** The last entry; without it, an archive is incomplete. */
export const Manifest = Head.extend({
  /** False: the database could not be read as a snapshot. */
  isOneMoment: z.boolean(),
  collections: z.record(z.string(), Sum),
  files: Sum.extend({ bytes: z.number() }),
  /** Keys of missing files of existing books. */
  missing: z.array(z.string()),
  /** Ids of books that were erased during the backup. */
  erased: z.array(z.string()),
  /** A fingerprint of the secret, for comparison with that of another place. */
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

/** A fingerprint that identifies a secret without revealing it. */
export function fingerprintOfSecret(secret: string): string {
  return createHmac('sha256', secret).update('lectern backup').digest('hex').slice(0, 32)
}
