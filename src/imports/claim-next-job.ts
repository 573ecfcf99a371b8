import type { Clock } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { laneOfRound, type Round } from './lane.ts'
import type { ClaimableJob, Job, JobStores } from './store.ts'
import type { Turn } from './turn-store.ts'

/** A job that has waited this long goes before shorter ones of its account, and a failed one counts as new, ms. */
const agedAfterMs = 5 * 60_000

/** A file overtakes running ones if it is at most this part of the shortest of them, so that it ends long before they do. */
const overtakingShare = 1 / 4

/** Accounts that are looked at for one turn; more than there are slots on all workers. */
const maxAccounts = 100

interface Choice {
  job: ClaimableJob
  turn: Turn
  tookOldest: boolean
}

/**
 * Claims the job whose turn it is in a round, over all workers; null if none waits.
 *
 * Accounts take turns, and an account with a running import takes another only if no other account waits without one. Of an
 * account's jobs the shortest file comes first; in every second turn the one that has waited longest, once it has waited
 * five minutes. Jobs whose earlier attempt failed come behind all others until then.
 *
 * In the round `short` only files are claimed that are much shorter than every one that runs, on slots of their own: they wait
 * for seconds, whatever runs. Their turns delay none of the others, and failed ones have none.
 */
export async function claimNextJob(
  stores: Clock & JobStores,
  round: Round,
  { fence, leaseDurationMs }: { fence: string; leaseDurationMs: number },
): Promise<Job | null> {
  for (;;) {
    const at = stores.now()
    const choice = await chooseJob(stores, round, at)
    if (!choice) return null
    const { job, turn, tookOldest } = choice
    // Before the job is claimed: a worker that reads in between sees the account at the end of the round.
    if (!(await stores.importTurns.take(turn, { turn: newId(at), tookOldest }))) continue
    const claim = { fence, now: at, leaseUntil: new Date(at.getTime() + leaseDurationMs) }
    const claimed = await stores.jobs.claim(job.id, claim)
    if (claimed) return claimed
  }
}

async function chooseJob({ jobs, importTurns }: JobStores, round: Round, at: Date): Promise<Choice | null> {
  const lane = laneOfRound(round)
  const running = (await jobs.listRunning()).filter((job) => job.lane === lane)
  const isHeld = ({ leaseUntil }: ClaimableJob) => leaseUntil !== null && leaseUntil >= at
  const heldJobs = running.filter(isHeld)
  const held = Map.groupBy(heldJobs, ({ accountId }) => accountId)
  const maxBytes = round === 'short' ? maxOvertakingBytes(heldJobs) : null
  const heldBy = ({ accountId }: Turn) => held.get(accountId)?.length ?? 0
  const turns = await importTurns.listWaiting(round, maxAccounts)
  let failed: Choice | null = null
  // Short files come one by one and soon end: whose long file runs is not to wait for those of others.
  const inOrder = maxBytes === null ? turns.toSorted((a, b) => heldBy(a) - heldBy(b)) : turns
  for (const turn of inOrder) {
    const abandoned = running.filter((job) => job.accountId === turn.accountId && !isHeld(job))
    const waiting = [...(await jobs.listFirstWaiting(turn.accountId, lane)), ...abandoned.map(asFailed)]
    const choice = maxBytes === null ? chooseOfAccount(waiting, turn, at) : chooseOvertaking(waiting, turn, maxBytes)
    if (waiting.length === 0) await importTurns.leave(turn)
    if (!choice) continue
    if (choice.job.retry === 0 || hasAged(choice.job, at)) return choice
    else failed ??= choice
  }
  return failed
}

/** A job whose worker died counts as one that failed. */
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

/** The size of the longest file that overtakes these; 0 if none runs, as there is nothing to overtake. */
function maxOvertakingBytes(running: readonly ClaimableJob[]): number {
  return running.length === 0 ? 0 : Math.min(...running.map(({ bytes }) => bytes)) * overtakingShare
}

function chooseOvertaking(waiting: readonly ClaimableJob[], turn: Turn, maxBytes: number): Choice | null {
  const short = waiting.filter(({ retry, bytes }) => retry === 0 && bytes <= maxBytes)
  const [job] = short.toSorted((a, b) => a.bytes - b.bytes)
  return job ? { job, turn, tookOldest: false } : null
}

function hasAged({ createdAt }: ClaimableJob, at: Date): boolean {
  return at.getTime() - createdAt.getTime() > agedAfterMs
}
