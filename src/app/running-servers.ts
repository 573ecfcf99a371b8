import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { version } from '../core/version.ts'
import type { Config } from './config.ts'

const RunningServer = z.object({
  pid: z.number().int(),
  host: z.string(),
  dataDir: z.string(),
  baseUrl: z.string(),
  version: z.string(),
  /**
   * The names (never the values) of the variables that it was started with and that a command on the same library
   * needs, too.
   */
  variables: z.array(z.string()),
})

/** A server that runs on this machine, as recorded for commands of the same user. */
export type RunningServer = z.infer<typeof RunningServer>

type Environment = Record<string, string | undefined>

/** Variables that determine the location of a library and its secrets. */
const placeVariables = /^LECTERN_(?:MONGODB_URL|SECRET|FILES|S3_[A-Z_]+|PLANS_FILE|DEFAULT_PLAN)$/

/** The servers of this user on this machine. */
export interface RunningServers {
  /** Records this process, and returns a function that removes the record. Ignores a folder that cannot be written. */
  note(config: Pick<Config, 'dataDir' | 'baseUrl'>): () => void
  /** The running servers. Removes the records of servers that have ended without doing so. */
  list(): RunningServer[]
}

/** Finds servers in the user's state folder according to the environment. Keeps no value of the environment. */
export function runningServers(environment: Environment): RunningServers {
  const folder = folderOf(environment)
  const variables = Object.keys(environment).filter((name) => placeVariables.test(name) && environment[name])
  return {
    note({ dataDir, baseUrl }) {
      const note: RunningServer = { pid: process.pid, host: hostname(), dataDir, baseUrl, version, variables }
      if (folder === null) return () => undefined
      const path = join(folder, `${note.host}-${note.pid}.json`)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(path, JSON.stringify(note), { mode: 0o600 })
      } catch {
        return () => undefined
      }
      return () => rmSync(path, { force: true })
    },
    list: () => (folder === null ? [] : readNames(folder).flatMap((name) => readRunning(join(folder, name)))),
  }
}

function readRunning(path: string): RunningServer[] {
  const note = readNote(path)
  if (!note || note.host !== hostname()) return []
  if (isAlive(note.pid)) return [note]
  rmSync(path, { force: true })
  return []
}

/**
 * The state folder of the user (XDG Base Directory Specification 0.8), or its default; null for a user without a home
 * folder.
 */
function folderOf({ XDG_STATE_HOME: state }: Environment): string | null {
  try {
    return join(state || join(homedir(), '.local', 'state'), 'lectern', 'servers')
  } catch {
    // For example in a container that runs with a user id unknown to the image.
    return null
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readNote(path: string): RunningServer | null {
  try {
    return RunningServer.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
