import type { Task } from '../task.ts'
import { finding } from './finding.ts'
import { hostile } from './hostile.ts'
import { manuscripts } from './manuscripts.ts'
import { marketplace } from './marketplace.ts'
import { missing } from './missing.ts'
import { organising } from './organising.ts'
import { planLimits } from './plan-limits.ts'
import { shelves } from './shelves.ts'
import { surveying } from './surveying.ts'
import { versions } from './versions.ts'
import { writing } from './writing.ts'

/** Every task, by group. */
export const tasks: readonly Task[] = [
  ...finding,
  ...surveying,
  ...missing,
  ...writing,
  ...versions,
  ...shelves,
  ...organising,
  ...manuscripts,
  ...marketplace,
  ...planLimits,
  ...hostile,
]
