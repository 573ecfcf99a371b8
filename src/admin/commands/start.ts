import type { Command } from './command.ts'
import { UsageError } from './read-options.ts'

/** Runs the server. `main.ts` recognises this command before it loads the dependencies of the others. */
export const start: Command = {
  name: 'start',
  usage: '[--port N] [--host HOST] [--base-url URL] [--data-dir DIR]',
  summary:
    'Run the server until SIGTERM or SIGINT (Ctrl-C). The options set PORT, HOST, LECTERN_BASE_URL and ' +
    'LECTERN_DATA_DIR; other settings are environment variables only.',
  execute() {
    throw new UsageError(`start is the first word of its command line\nUsage: lectern start ${this.usage}`)
  },
}
