import { runClient } from '../../src/cli/run-client.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

export interface ClientRun {
  /** Null for a command for administrators. */
  code: number | null
  stdout: string
  stderr: string
  /** The output with `--json`. */
  json: any
}

interface ClientPlace {
  environment?: Record<string, string>
  homeFolder?: string
  folder?: string
  /** The addresses of the servers of the same user on the same machine. */
  localServers?: string[]
  stdin?: string
  /** Enables tables and bars, with this terminal width. */
  columns?: number
  /** Receives writes to stderr at once. */
  onRemark?: (text: string) => void
}

/** Runs a client command in this process, as if it had been typed. */
export async function runClientCommand(args: readonly string[], place: ClientPlace = {}): Promise<ClientRun> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  const { columns, onRemark } = place
  const size = columns === undefined ? {} : { isTTY: true, columns }
  const terminal: Terminal = {
    environment: place.environment ?? {},
    folder: place.folder ?? '/nonexistent',
    homeFolder: place.homeFolder ?? '/nonexistent',
    localServers: async () => place.localServers ?? [],
    stdin: (async function* () {
      yield place.stdin ?? ''
    })(),
    stdout: { ...size, write: (text) => stdout.push(Buffer.from(text)) },
    stderr: {
      ...size,
      write: (text) => {
        stderr.push(Buffer.from(text))
        onRemark?.(String(text))
      },
    },
  }
  const code = await runClient(args, terminal)
  const [printed, remarks] = [Buffer.concat(stdout).toString('utf8'), Buffer.concat(stderr).toString('utf8')]
  return { code, stdout: printed, stderr: remarks, json: /^[{[]/.test(printed) ? JSON.parse(printed) : undefined }
}
