import { homedir } from 'node:os'
import type { Home } from './assistants.ts'

/** The folder in which the user of the command stores files. */
export function homeFolder(): Home {
  return { platform: process.platform, folder: homedir(), environment: process.env }
}
