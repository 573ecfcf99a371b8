import { version } from '../core/version.ts'
import { loadCommands } from './command-table.ts'
import { findCommand, refuseUnknown, type FoundCommand } from './find-command.ts'
import { helpFor, usageLine } from './help.ts'
import { readArguments } from './read-arguments.ts'
import { ClientError } from './client-error.ts'
import { clean } from './show-value.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs a command line, unless it names a command for administrators. Returns the exit status: 0 for success, 1 for a
 * refusal, 2 for wrong usage; null for a command for administrators.
 */
export async function runClient(args: readonly string[], terminal: Terminal): Promise<number | null> {
  if (args[0] === '--complete') return (await import('./complete-words.ts')).complete(args.slice(1), terminal)
  const found = findCommand(args, loadCommands())
  if (found.kind === 'local') return null
  try {
    return await runFound(found, terminal)
  } catch (error) {
    return printFailure(error, { found, asJson: args.includes('--json') }, terminal)
  }
}

async function runFound(found: Exclude<FoundCommand, { kind: 'local' }>, terminal: Terminal): Promise<number> {
  switch (found.kind) {
    case 'version':
      terminal.stdout.write(`lectern ${version}\n`)
      return 0
    case 'help': {
      const table = loadCommands()
      terminal.stdout.write(helpFor(found.words, table) ?? refuseUnknown(found.words, table))
      return 0
    }
    case 'unknown':
      return refuseUnknown(found.words, loadCommands())
    case 'own':
      return found.command.run(readArguments(found.args, found.command.options), terminal)
    case 'derived':
      return (await import('./call-command.ts')).callCommand(found.command, found.args, terminal)
  }
}

function printFailure(
  error: unknown,
  { found, asJson }: { found: FoundCommand; asJson: boolean },
  { stdout, stderr }: Terminal,
): number {
  const isUsage = error instanceof UsageError
  if (!isUsage && !(error instanceof ClientError)) throw error
  if (asJson) stdout.write(`${JSON.stringify({ error: error.message, code: isUsage ? 'USAGE' : error.code })}\n`)
  else stderr.write(`${clean(error.message)}\n${isUsage ? usageHint(found) : ''}`)
  return isUsage ? 2 : 1
}

function usageHint(found: FoundCommand): string {
  if (found.kind === 'own') return `Usage: lectern ${`${found.command.name} ${found.command.usage}`.trim()}\n`
  if (found.kind !== 'derived') return ''
  return `Usage: ${usageLine(found.command)}\nlectern help ${found.command.name} says more.\n`
}
