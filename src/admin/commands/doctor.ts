import { z } from 'zod'
import { defineCommand, defineRemoteCommand, type Command } from './command.ts'
import { checkServer } from '../doctor/check-server.ts'
import { repairData, runChecks } from '../doctor/run-checks.ts'
import { checkDeployment } from '../doctor/deployment/check-deployment.ts'

const commandInfo = {
  name: 'doctor',
  usage: '[--deep] [--repair] [--url URL]',
  summary:
    'Check the server and the stored data; --deep also verifies the SHA-256 of every file. --repair: correct wrong counts, index books ' +
    'that searches miss, and remove parts of the search index that belong to no book, also while the server ' +
    'runs. With --url, check a running server from outside, as assistants reach it. Exit status 1 if a check ' +
    'fails.',
}

const storeDoctor = defineCommand({
  ...commandInfo,
  options: z.strictObject({ deep: z.literal(true).optional(), repair: z.literal(true).optional() }),
  async run(admin, { deep = false, repair = false }) {
    const { services, database } = admin
    const parts = await checkServer(admin)
    const stored = await (repair ? repairData : runChecks)({ db: database.db, services, deep })
    const checks = [...parts, ...stored.checks]
    const ok = checks.every((check) => check.ok)
    const rows = checks.flatMap(({ name, ok: isWell, detail, repairable, repaired, remedy }) => [
      `${statusLabel(isWell)} ${name}: ${detail}`,
      ...(remedy === undefined ? [] : [`     → ${remedy}`]),
      ...(repaired === undefined ? [] : [`     → repaired: ${repaired}`]),
      ...(repairable && !repair ? ['     → lectern doctor --repair corrects this'] : []),
    ])
    return { json: { ok, checks }, text: rows.join('\n'), ok }
  },
})

const Address = z
  .url({ protocol: /^https?$/, error: 'must be a URL, such as https://books.example.com' })
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

/** Checks the stored data or, with `--url`, a running server from outside. */
export const doctor: Command = {
  ...commandInfo,
  execute: (access, options) => ('url' in options ? deploymentDoctor : storeDoctor).execute(access, options),
}

function statusLabel(ok: boolean): string {
  return ok ? 'ok  ' : 'BAD '
}
