import type { Services } from '../../app/context.ts'
import type { Db } from 'mongodb'

/** Violations of an invariant, one sentence each; empty if it holds. */
export type Findings = string[]

export interface Check {
  name: string
  /** The invariant that the check verifies, shown if it holds. */
  invariant: string
  /** Displayed in its place if it holds in a weaker form; null if it holds fully. */
  reservation?(): string | null
  run(context: DoctorContext): Promise<Findings>
}

export interface DoctorContext {
  db: Db
  services: Services
  /** True to also verify the SHA-256 of every stored file. */
  deep: boolean
}
