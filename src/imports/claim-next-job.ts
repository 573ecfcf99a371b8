import type { Clock } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { laneOfRound, type Place } from './lane.ts'
import type { ClaimableJob, Job, JobStores } from './store.ts'
import type { Turn } from '../accounts/turn-store.ts'

/** Aging: after this wait a job goes before shorter ones of its account, and a failed job counts as new, ms. */
const agedAfterMs = 5 * 60_000

/** Maximum size of an overtaking file as a share of the shortest running file, so that it ends long before that one. */
const overtakingShare = 1 / 4

/** Number of accounts that are considered for one turn; greater than the number of slots on all workers. */
const maxAccounts = 100

interface Choice {
  job: ClaimableJob
  turn: Turn
  tookOldest: boolean
}

/**
 * Claims the next job of a round, across all workers; null if none waits. Accounts take turns. An account with a
 * running import gets another turn only if no account without one waits. Within an account, the shortest file comes
 * first; in every second turn, the job that has waited longest does, once it has waited five minutes. Until then, jobs
 * whose earlier attempt failed come last. The round `short` has its own slots and claims only files that are much
 * shorter than every running one, so such files wait for seconds whatever else runs. The place `first` claims files of any
 * size, but only for accounts without a running import, so that no account takes all places. Turns in these two do not
 * delay other rounds, and they skip failed jobs.
 */
export async function claimNextJob(
  stores: Clock & JobStores,
  place: Place,
  { fence, leaseDurationMs }: { fence: string; leaseDurationMs: number },
): Promise<Job | null> {
  for (;;) {
    const at = stores.now()
    const choice = await chooseJob(stores, place, at)
    if (!choice) return null
    const { job, turn, tookOldest } = choice
    // Recorded before the claim, so that a worker that reads in between sees the account at the end of the round.
    if (!(await stores.turns.take(turn, { turn: newId(at), tookOldest }))) continue
    const claim = { fence, now: at, leaseUntil: new Date(at.getTime() + leaseDurationMs) }
    const claimed = await stores.jobs.claim(job.id, claim)
    if (claimed) return claimed
  }
}

async function chooseJob({ jobs, turns }: JobStores, place: Place, at: Date): Promise<Choice | null> {
  const round = place === 'first' ? 'short' : place
  const lane = laneOfRound(round)
  const running = (await jobs.listRunning()).filter((job) => job.lane === lane)
  const isHeld = ({ leaseUntil }: ClaimableJob) => leaseUntil !== null && leaseUntil >= at
  const heldJobs = running.filter(isHeld)
  const held = Map.groupBy(heldJobs, ({ accountId }) => accountId)
  const maxBytes = maxOvertakingBytes(place, heldJobs)
  const heldBy = ({ accountId }: Turn) => held.get(accountId)?.length ?? 0
  const listed = await turns.listWaiting(round, maxAccounts)
  const accounts = place === 'first' ? listed.filter((turn) => heldBy(turn) === 0) : listed
  let failed: Choice | null = null
  // Short files are imported one at a time and end soon, so an account with a long running file need not wait for the
  // short files of others.
  const inOrder = maxBytes === null ? accounts.toSorted((a, b) => heldBy(a) - heldBy(b)) : accounts
  for (const turn of inOrder) {
    const abandoned = running.filter((job) => job.accountId === turn.accountId && !isHeld(job))
    const waiting = [...(await jobs.listFirstWaiting(turn.accountId, lane)), ...abandoned.map(asFailed)]
    const choice = maxBytes === null ? chooseOfAccount(waiting, turn, at) : chooseOvertaking(waiting, turn, maxBytes)
    if (waiting.length === 0) await turns.leave(turn)
    if (!choice) continue
    if (choice.job.retry === 0 || hasAged(choice.job, at)) return choice
    else failed ??= choice
  }
  return failed
}

/** A job whose worker died counts as failed. */
function asFailed(job: ClaimableJob): ClaimableJob {
  return { ...job, retry: 1 }
}

function chooseOfAccount(waiting: readonly ClaimableJob[], turn: Turn, at: Date): Choice | null {
  const [oldest] = waiting.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  const [first] = waiting.toSorted((a, b) => a.retry - b.retry || a.bytes - b.bytes)
  if (!oldest || !first) return null
  const tookOldest = hasAged(oldest, at) && !turn.tookOldest
  return { job: tookOldest ? oldest : first, turn, tookOldest }
}

/** The size of the largest file that may overtake the running jobs, 0 if none runs; null: nothing overtakes in this place. */
function maxOvertakingBytes(place: Place, running: readonly ClaimableJob[]): number | null {
  if (place !== 'short' && place !== 'first') return null
  if (running.length === 0) return 0
  return place === 'first' ? Infinity : Math.min(...running.map(({ bytes }) => bytes)) * overtakingShare
}

function chooseOvertaking(waiting: readonly ClaimableJob[], turn: Turn, maxBytes: number): Choice | null {
  const short = waiting.filter(({ retry, bytes }) => retry === 0 && bytes <= maxBytes)
  const [job] = short.toSorted((a, b) => a.bytes - b.bytes)
  return job ? { job, turn, tookOldest: false } : null
}

function hasAged({ createdAt }: ClaimableJob, at: Date): boolean {
  return at.getTime() - createdAt.getTime() > agedAfterMs
}
