import type { Command } from './command.ts'

/**
 * Loads each command of `lectern` by its name, in the order of the help text. Loading all of them takes longer than most
 * of them run.
 */
export const commandLoaders: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['start', async () => (await import('./start.ts')).start],
  ['setup-link', async () => (await import('./setup-link.ts')).setupLink],
  ['user create', async () => (await import('./user.ts')).userCreate],
  ['user list', async () => (await import('./user.ts')).userList],
  ['user reset', async () => (await import('./user.ts')).userReset],
  ['user prove', async () => (await import('./user.ts')).userProve],
  ['user email', async () => (await import('./user.ts')).userEmail],
  ['user plan', async () => (await import('./user.ts')).userPlan],
  ['user suspend', async () => (await import('./user.ts')).userSuspend],
  ['user resume', async () => (await import('./user.ts')).userResume],
  ['user delete', async () => (await import('./user.ts')).userDelete],
  ['key create', async () => (await import('./key.ts')).keyCreate],
  ['key list', async () => (await import('./key.ts')).keyList],
  ['key revoke', async () => (await import('./key.ts')).keyRevoke],
  ['book add', async () => (await import('./book.ts')).bookAdd],
  ['book list', async () => (await import('./book.ts')).bookList],
  ['book system', async () => (await import('./book.ts')).bookSystem],
  ['book feature', async () => (await import('./book.ts')).bookFeature],
  ['import', async () => (await import('./import.ts')).importFolder],
  ['job list', async () => (await import('./job.ts')).jobList],
  ['listing publish', async () => (await import('./listing.ts')).listingPublish],
  ['team create', async () => (await import('./team.ts')).teamCreate],
  ['team subscription', async () => (await import('./team.ts')).teamSubscription],
  ['audit', async () => (await import('./audit.ts')).audit],
  ['call', async () => (await import('./call.ts')).call],
  ['connect', async () => (await import('./connect.ts')).connect],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['backup', async () => (await import('./backup.ts')).backup],
  ['restore', async () => (await import('./restore.ts')).restore],
  ['copy', async () => (await import('./copy.ts')).copy],
  ['migrate', async () => (await import('./migrate.ts')).migrate],
])
