import { z } from 'zod'
import { mcpPath } from '../../core/mcp-path.ts'
import { localAssistants, type Home } from '../connect/assistants.ts'
import {
  describeChange,
  isInstalled,
  planConnection,
  planUndo,
  writeConnection,
  writeUndo,
  type Change,
} from '../connect/connect.ts'
import { homeFolder } from '../connect/home-folder.ts'
import { defineRemoteCommand, type CommandResult } from './command.ts'
import { UsageError } from './read-options.ts'

const timeoutMs = 2000

/**
 * Connects the assistants on this machine to a server: shows the changes to their settings, and with `--yes` writes
 * them.
 */
export const connect = defineRemoteCommand({
  name: 'connect',
  usage: '[--client NAME] [--url URL] [--yes] [--undo]',
  summary:
    'Connect the assistants on this machine, such as Claude Code, Cursor and VS Code, to a server (default: the configured one): ' +
    'shows what it would write into their settings, and writes it with --yes. --undo restores the settings.',
  options: z.strictObject({
    client: z.string().optional(),
    url: z.url({ protocol: /^https?$/ }).optional(),
    yes: z.literal(true).optional(),
    undo: z.literal(true).optional(),
  }),
  async run({ baseUrl }, { client, url, yes = false, undo = false }) {
    const home = homeFolder()
    const server = (url ?? baseUrl).replace(/\/+$/, '')
    const chosen = choose(home, client)
    const changes: Change[] = []
    for (const assistant of chosen)
      changes.push(await (undo ? planUndo(home, assistant) : planConnection(assistant, `${server}${mcpPath}`)))
    if (yes)
      for (const change of changes)
        if (change.outcome === 'change') await (undo ? writeUndo : writeConnection)(home, change)
    const unreachable = undo || (await answers(server)) ? [] : [`No server answers at ${server} now.`]
    return present(changes, { yes, undo, remarks: unreachable })
  },
})

function choose(home: Home, client: string | undefined) {
  const known = localAssistants(home)
  const names = known.map(({ id }) => id).join(', ')
  if (client !== undefined) {
    const named = known.filter(({ id }) => id === client)
    if (named.length === 0) throw new UsageError(`--client: no assistant is called ${client}. Known are: ${names}`)
    return named
  }
  const found = known.filter(isInstalled)
  if (found.length === 0)
    throw new UsageError(
      `None of the known assistants is on this machine. To connect one anyway, name it with --client: ${names}`,
    )
  return found
}

function present(
  changes: readonly Change[],
  { yes, undo, remarks }: { yes: boolean; undo: boolean; remarks: readonly string[] },
): CommandResult {
  const planned = changes.filter(({ outcome }) => outcome === 'change')
  const failed = changes.filter(({ outcome }) => outcome === 'failed')
  const same = changes.filter(({ outcome }) => outcome === 'same')
  const again = `lectern connect --yes${undo ? ' --undo' : ''}`
  return {
    json: {
      written: yes,
      assistants: changes.map(({ assistant: { id, name, file }, outcome, reason }) => ({
        id,
        name,
        file,
        outcome,
        reason,
      })),
    },
    text: planned.map(describeChange).join('\n\n'),
    remarks: [
      ...same.map(({ assistant }) => `${assistant.name}: ${undo ? 'is not connected' : 'is connected already'}.`),
      ...failed.map(
        ({ assistant, reason }) => `${assistant.name}: ${assistant.file} was not changed, because ${reason}.`,
      ),
      ...(planned.length > 0 && !yes ? [`Nothing was written. To write it, run the command with --yes: ${again}`] : []),
      ...(yes && !undo ? planned.map(({ assistant: { name, next } }) => `${name}: ${next}`) : []),
      ...remarks,
    ],
    ok: failed.length === 0,
  }
}

async function answers(server: string): Promise<boolean> {
  return fetch(`${server}/healthz`, { signal: AbortSignal.timeout(timeoutMs) }).then(
    ({ ok }) => ok,
    () => false,
  )
}
