import type { Command } from './command.ts'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { bookAdd, bookFeature, bookList, bookSystem } from './book.ts'
import { call } from './call.ts'
import { connect } from './connect.ts'
import { copy } from './copy.ts'
import { doctor } from './doctor.ts'
import { importFolder } from './import.ts'
import { jobList } from './job.ts'
import { keyCreate, keyList, keyRevoke } from './key.ts'
import { listingPublish } from './listing.ts'
import { migrate } from './migrate.ts'
import { restore } from './restore.ts'
import { setupLink } from './setup-link.ts'
import { start } from './start.ts'
import { teamCreate, teamSubscription } from './team.ts'
import {
  userCreate,
  userDelete,
  userEmail,
  userList,
  userPlan,
  userProve,
  userReset,
  userResume,
  userSuspend,
} from './user.ts'

/** All commands of `lectern`, in the order of the help text. */
export const commands: readonly Command[] = [
  start,
  setupLink,
  userCreate,
  userList,
  userReset,
  userProve,
  userEmail,
  userPlan,
  userSuspend,
  userResume,
  userDelete,
  keyCreate,
  keyList,
  keyRevoke,
  bookAdd,
  bookList,
  bookSystem,
  bookFeature,
  importFolder,
  jobList,
  listingPublish,
  teamCreate,
  teamSubscription,
  audit,
  call,
  connect,
  doctor,
  backup,
  restore,
  copy,
  migrate,
]
