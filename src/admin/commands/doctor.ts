import { z } from 'zod'
import { defineCommand, defineRemoteCommand, type Command } from './command.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { checkDeployment } from '../doctor/deployment/check-deployment.ts'

const commandInfo = {
  name: 'doctor',
  usage: '[--deep] [--url URL]',
  summary:
    'Check what is stored; --deep also reads every file and compares its SHA-256. With --url look at a running ' +
    'server from outside, as assistants do. Exit 1 when something is wrong.',
}

const storeDoctor = defineCommand({
  ...commandInfo,
  options: z.strictObject({ deep: z.literal(true).optional() }),
  async run({ services, database }, { deep }) {
    const diagnosis = await runChecks({ db: database.db, services, deep: deep ?? false })
    const rows = diagnosis.checks.map(({ name, ok, detail }) => `${statusLabel(ok)} ${name}: ${detail}`)
    return { json: diagnosis, text: rows.join('\n'), ok: diagnosis.ok }
  },
})

const Address = z
  .url({ protocol: /^https?$/, error: 'must be an address, such as https://books.example.com' })
  .refine((url) => !URL.canParse(url) || new URL(url).pathname === '/', 'must be the base URL, without a path')

const deploymentDoctor = defineRemoteCommand({
  ...commandInfo,
  options: z.strictObject({ url: Address }),
  async run(_, { url }) {
    const diagnosis = await checkDeployment(url)
    const rows = diagnosis.checks.flatMap(({ name, ok, detail, remedy }) => [
      `${statusLabel(ok)} ${name}: ${detail}`,
      ...(remedy === null ? [] : [`     → ${remedy}`]),
    ])
    return { json: diagnosis, text: rows.join('\n'), ok: diagnosis.ok }
  },
})

/** Examines the store or, from outside, a running server: the second one needs no store. */
export const doctor: Command = {
  ...commandInfo,
  execute: (access, typed) => ('url' in typed ? deploymentDoctor : storeDoctor).execute(access, typed),
}

function statusLabel(ok: boolean): string {
  return ok ? 'ok  ' : 'BAD '
}
