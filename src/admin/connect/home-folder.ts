import { homedir } from 'node:os'
import type { Home } from './assistants.ts'

/** Where the person who typed the command keeps files. */
export function homeFolder(): Home {
  return { platform: process.platform, folder: homedir(), environment: process.env }
}
