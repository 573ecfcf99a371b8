import type { Clock } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { Lane } from './lane.ts'
import type { ClaimableJob, Job, JobStores } from './store.ts'
import type { Turn } from './turn-store.ts'

/** A job that has waited this long goes before shorter ones of its account, and a failed one counts as new, ms. */
const agedAfterMs = 5 * 60_000

/** Accounts that are looked at for one turn; more than there are slots on all workers. */
const maxAccounts = 100

interface Choice {
  job: ClaimableJob
  turn: Turn
  tookOldest: boolean
}

/**
 * Claims the job whose turn it is in a lane, over all workers; null if none waits.
 *
 * Accounts take turns, and an account with a running import takes another only if no other account waits without one. Of an
 * account's jobs the shortest file comes first; in every second turn the one that has waited longest, once it has waited
 * five minutes. Jobs whose earlier attempt failed come behind all others until then.
 */
export async function claimNextJob(
  stores: Clock & JobStores,
  lane: Lane,
  { fence, leaseDurationMs }: { fence: string; leaseDurationMs: number },
): Promise<Job | null> {
  for (;;) {
    const at = stores.now()
    const choice = await chooseJob(stores, lane, at)
    if (!choice) return null
    const { job, turn, tookOldest } = choice
    // Before the job is claimed: a worker that reads in between sees the account at the end of the round.
    if (!(await stores.importTurns.take(turn, { turn: newId(at), tookOldest }))) continue
    const claim = { fence, now: at, leaseUntil: new Date(at.getTime() + leaseDurationMs) }
    const claimed = await stores.jobs.claim(job.id, claim)
    if (claimed) return claimed
  }
}

async function chooseJob({ jobs, importTurns }: JobStores, lane: Lane, at: Date): Promise<Choice | null> {
  const running = (await jobs.listRunning()).filter((job) => job.lane === lane)
  const isHeld = ({ leaseUntil }: ClaimableJob) => leaseUntil !== null && leaseUntil >= at
  const held = Map.groupBy(running.filter(isHeld), ({ accountId }) => accountId)
  const heldBy = ({ accountId }: Turn) => held.get(accountId)?.length ?? 0
  const turns = await importTurns.listWaiting(lane, maxAccounts)
  let failed: Choice | null = null
  for (const turn of turns.toSorted((a, b) => heldBy(a) - heldBy(b))) {
    const abandoned = running.filter((job) => job.accountId === turn.accountId && !isHeld(job))
    const waiting = [...(await jobs.listFirstWaiting(turn.accountId, lane)), ...abandoned.map(asFailed)]
    const choice = chooseOfAccount(waiting, turn, at)
    if (!choice) await importTurns.leave(turn)
    else if (choice.job.retry === 0 || hasAged(choice.job, at)) return choice
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

function hasAged({ createdAt }: ClaimableJob, at: Date): boolean {
  return at.getTime() - createdAt.getTime() > agedAfterMs
}
