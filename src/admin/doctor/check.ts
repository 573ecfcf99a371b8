import type { Services } from '../../app/context.ts'
import type { Db } from 'mongodb'

/** A violation of an invariant that other stored data can correct. */
export interface RepairableFinding {
  problem: string
  /** Corrects the data. Safe while servers run: it leaves data that changes meanwhile as it is. */
  repair(): Promise<unknown>
}

/** Violations of an invariant, one sentence each; empty if it holds. */
export type Findings = (string | RepairableFinding)[]

/** The sentences of findings. */
export const problemsOf = (findings: Findings): string[] =>
  findings.map((finding) => (typeof finding === 'string' ? finding : finding.problem))

export interface Check {
  name: string
  /** The invariant that the check verifies, shown if it holds. */
  invariant: string
  /** Displayed in its place if it holds in a weaker form; null if it holds fully. */
  caveat?(): string | null
  run(context: DoctorContext): Promise<Findings>
}

export interface DoctorContext {
  db: Db
  services: Services
  /** True to also verify the SHA-256 of every stored file. */
  deep: boolean
}
