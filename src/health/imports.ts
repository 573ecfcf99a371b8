import type { JobStores } from '../imports/store.ts'
import type { Clock } from '../core/context.ts'
import { counted } from '../text/counted.ts'
import { durationInWords } from '../text/duration-in-words.ts'
import { unwell, well, type Condition, type HealthCheck } from './check.ts'

/** A queue that no worker takes anything from for this long is stuck, ms. A worker takes over from a dead one sooner. */
const stuckAfterMs = 5 * 60_000
/** Waiting imports beyond this number are not counted. */
const countedImports = 1000

/** Checks that workers take imports from the queue. */
export function importCheck({ jobs, now }: Pick<JobStores, 'jobs'> & Clock): HealthCheck {
  return {
    name: 'imports',
    title: 'Imports',
    async look() {
      const [waiting, claimed] = await Promise.all([jobs.listWaitingTimes(countedImports), jobs.listRunning()])
      const at = now().getTime()
      const abandoned = claimed.filter(({ leaseUntil }) => at - (leaseUntil?.getTime() ?? 0) > stuckAfterMs).length
      const oldestMs = waiting.length === 0 ? 0 : at - Math.min(...waiting.map((time) => time.getTime()))
      return describe({ waiting: waiting.length, running: claimed.length - abandoned, abandoned, oldestMs })
    },
    remedy: 'See the log of the server.',
  }
}

interface QueueState {
  waiting: number
  running: number
  /** Imports whose worker ended without another one taking over. */
  abandoned: number
  /** How long the oldest waiting import waits. */
  oldestMs: number
}

function describe({ waiting, running, abandoned, oldestMs }: QueueState): Condition {
  const number = waiting === countedImports ? `${countedImports} or more imports` : counted(waiting, 'import')
  const detail =
    waiting + running + abandoned === 0
      ? 'No import waits or runs.'
      : [
          `${number} ${waiting === 1 ? 'waits' : 'wait'}${waiting === 0 ? '' : `, the oldest for ${durationInWords(oldestMs)}`}.`,
          `${counted(running, 'import')} ${running === 1 ? 'runs' : 'run'}.`,
          ...(abandoned === 0
            ? []
            : [`${counted(abandoned, 'import')} stopped and nothing continues ${abandoned === 1 ? 'it' : 'them'}.`]),
        ].join(' ')
  const isStuck = abandoned > 0 || (running === 0 && oldestMs > stuckAfterMs)
  if (!isStuck) return well(detail)
  return unwell(
    detail,
    'Imports need a process with the role worker or all (LECTERN_ROLE). See that one runs, and what its log says.',
  )
}
