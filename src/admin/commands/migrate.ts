import { z } from 'zod'
import { migratingOf } from '../../app/migrate.ts'
import { readSchema } from '../../db/installation.ts'
import { countPending, migrate as runMigrations, raiseToWritten, type PendingMigration } from '../../db/migrate.ts'
import type { AdminContext, Command, CommandResult } from './command.ts'
import { readOptions } from './read-options.ts'

const declaration = {
  name: 'migrate',
  usage: '[--dry-run]',
  summary:
    'Convert data that older versions have stored to the shape of this version. Servers may run meanwhile; they also do it in the background. ' +
    '--dry-run: say what would be changed, and change nothing. Exit status 1 if something is left.',
  options: z.strictObject({ dryRun: z.literal(true).optional() }),
}

/** Runs the migrations, or reports what they would do. */
export const migrate: Command = {
  ...declaration,
  async execute(access, rawOptions) {
    const isDryRun = readOptions(declaration, rawOptions).dryRun ?? false
    const admin = await access.open({ makesStore: false, skipsMigration: true, isReadOnly: isDryRun })
    try {
      return isDryRun ? await describe(admin) : await run(admin)
    } finally {
      admin.progress.clear()
      await admin.close()
    }
  },
}

async function describe(admin: AdminContext): Promise<CommandResult> {
  const migrating = migratingOf(admin)
  const migrations = await countPending(migrating)
  const stored = await readSchema(migrating.db)
  const { written, known } = migrating.schema
  return {
    json: { dryRun: true, schema: { stored, written, known }, migrations },
    text: migrations.map((each) => `${each.name}\t${each.pending}\t${each.summary}`).join('\n'),
    remarks: [
      stored < written
        ? `A server of this version raises the schema from ${stored} to ${written} before it answers; older ones that know only ${stored} cannot be started after that.`
        : `The schema stays ${stored}: you can go back to the previous version.`,
      ...migrations.filter(({ isBeforeStart, pending }) => isBeforeStart && pending > 0).map(waitRemark),
      'Nothing was changed.',
    ],
  }
}

function waitRemark({ name, pending }: PendingMigration): string {
  return `The first server of this version waits for ${name}: ${pending} documents. lectern migrate does it beforehand.`
}

async function run(admin: AdminContext): Promise<CommandResult> {
  const changed = new Map<string, number>()
  const migrating = {
    ...migratingOf(admin),
    onSlice({ name }: { name: string }, count: number) {
      changed.set(name, (changed.get(name) ?? 0) + count)
      admin.progress.show(`${name}: ${changed.get(name)}`, null)
    },
  }
  await raiseToWritten(migrating)
  const hasEnded = await runMigrations(migrating)
  const migrations = (await countPending(migrating)).map(({ name, pending }) => ({
    name,
    changed: changed.get(name) ?? 0,
    pending,
  }))
  const left = migrations.filter(({ pending }) => pending > 0)
  return {
    json: { dryRun: false, schema: { stored: await readSchema(migrating.db) }, migrations },
    text: migrations.map((each) => `${each.name}\t${each.changed}\t${each.pending}`).join('\n'),
    remarks: left.length === 0 ? ['Nothing is left.'] : [`${leftOver(hasEnded)} Run it again in a minute.`],
    ok: left.length === 0,
  }
}

function leftOver(hasEnded: boolean): string {
  return hasEnded
    ? 'Older servers have written data in the meantime.'
    : 'A server is converting them, or documents were changing.'
}
