import { healthChecksOf } from '../../app/health.ts'
import { runHealthChecks } from '../../health/check.ts'
import type { InstalledRecognition } from '../../health/text-recognition.ts'
import { openRecogniser } from '../../imports/ocr/recogniser.ts'
import type { AdminContext } from '../commands/command.ts'
import type { CheckResult } from './run-checks.ts'

/** Runs the checks of the page "Server" from this process, which knows nothing of the mails of the server. */
export async function checkServer(admin: AdminContext): Promise<CheckResult[]> {
  const parts = await runHealthChecks(healthChecksOf(admin.config, admin, () => findRecognition(admin)))
  return parts.map(({ name, ok, detail, remedy }) => ({ name, ok, detail, ...(!ok && remedy !== null && { remedy }) }))
}

async function findRecognition({ config: { ocr } }: AdminContext): Promise<InstalledRecognition> {
  const recogniser = ocr === null ? 'off' : await openRecogniser(ocr)
  if (typeof recogniser === 'string') return recogniser
  await recogniser.close()
  return recogniser
}
