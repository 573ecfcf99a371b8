import type { Command } from '../command.ts'
import { bookAdd, bookSystem } from './book.ts'
import { call } from './call.ts'
import { doctor } from './doctor.ts'
import { keyCreate, keyList, keyRevoke } from './key.ts'
import { userCreate, userPlan, userReset, userResume, userSuspend } from './user.ts'

/** Every command of the `lectern` program, in the order of its help. */
export const commands: readonly Command[] = [
  userCreate,
  userReset,
  userPlan,
  userSuspend,
  userResume,
  keyCreate,
  keyList,
  keyRevoke,
  bookAdd,
  bookSystem,
  call,
  doctor,
]
