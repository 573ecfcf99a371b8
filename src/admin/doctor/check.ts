import type { Services } from '../../app/context.ts'
import type { Db } from 'mongodb'

/** What a check found wrong, one sentence each; empty when all is well. */
export type Findings = string[]

export interface Check {
  name: string
  /** What holds when nothing is found. */
  invariant: string
  run(context: DoctorContext): Promise<Findings>
}

export interface DoctorContext {
  db: Db
  services: Services
  /** Also read every stored file and compare its SHA-256. */
  deep: boolean
}
