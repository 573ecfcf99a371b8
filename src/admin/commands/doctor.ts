import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { examine } from '../doctor/examine.ts'

export const doctor = defineCommand({
  name: 'doctor',
  usage: '[--deep]',
  summary:
    'Check what is stored; --deep also reads every file and compares its SHA-256. Exit 1 when something is wrong.',
  options: z.strictObject({ deep: z.literal(true).optional() }),
  async run({ services, database }, { deep }) {
    const diagnosis = await examine({ db: database.db, services, deep: deep ?? false })
    const rows = diagnosis.checks.map(({ name, ok, detail }) => `${ok ? 'ok  ' : 'BAD '} ${name}: ${detail}`)
    return { json: diagnosis, text: rows.join('\n'), ok: diagnosis.ok }
  },
})
