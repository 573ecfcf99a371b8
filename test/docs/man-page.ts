import { placeholder, type ClientCommand, type CommandField, type CommandTable } from '../../src/cli/command-table.ts'
import { explain, optionForm, optionUsage, usageLine } from '../../src/cli/help.ts'
import { ownCommands } from '../../src/cli/own-commands.ts'
import type { OptionDefinition } from '../../src/cli/read-arguments.ts'
import { sharedOptions } from '../../src/cli/read-input.ts'
import { version } from '../../src/core/version.ts'
import { renderCommandTable } from './cli-commands.ts'
import { administrationNote, clientNotes, outputNotes, routeNote } from './cli-prose.ts'
import { bold, roff, roffOfMarkdown, tagged } from './roff.ts'

/** Writes the manual page of the command line program, in the language of groff_man(7). */
export function renderManPage(): string {
  const table = JSON.parse(renderCommandTable()) as CommandTable
  const daily = table.commands.filter(({ name }) => !name.includes(' '))
  const local = table.local.map(({ name, usage, summary }) =>
    tagged(bold(`lectern ${name} ${usage}`.trim()), roff(summary)),
  )
  const parts = [
    '.\\" Written by `npm run docs` from src/cli and src/admin/commands.',
    `.TH LECTERN 1 "" "lectern ${version}" "Lectern"`,
    // The text is ragged-right, because long words such as URLs would cause wide gaps.
    '.ad l\n.nh',
    '.SH NAME\nlectern \\- read, search and fill a library of books on a Lectern server, and run one',
    '.SH SYNOPSIS\n.B lectern\n.I command\n.RI [ options ]\n.br\n.B lectern help\n.RI [ command ]',
    '.SH DESCRIPTION',
    'Lectern hosts a library of books that people and agents read over MCP and REST.',
    'The first commands below use a server with an account on it, those of ADMINISTRATION work on the data itself.',
    points(outputNotes),
    `.SH USING A SERVER\n${roffOfMarkdown(routeNote)}`,
    points(clientNotes),
    '.SS Options of all commands that use a server',
    ...optionsOf(sharedOptions),
    '.SS Sign in, send files',
    ...ownCommands.flatMap(({ name, usage, summary, options }) => [
      tagged(bold(`lectern ${name} ${usage}`.trim()), roff(summary)),
      indented(optionsOf(withoutShared(options))),
    ]),
    '.SS Often used',
    ...daily.map(derived),
    ...Object.entries(table.topics).flatMap(([topic, about]) => [
      `.SS ${topic}\n${roff(about)}.`,
      ...table.commands.filter(({ name }) => name.startsWith(`${topic} `)).map(derived),
    ]),
    `.SH ADMINISTRATION\n${roffOfMarkdown(administrationNote)}`,
    ...local,
    closing,
  ]
  return `${parts.filter((part) => part !== '').join('\n')}\n`
}

function derived(command: ClientCommand): string {
  const { description, fields, positionals } = command
  const own = positionals.map((name) => fields.find((field) => field.name === name) as CommandField)
  const options = fields.filter((field) => !own.includes(field))
  return [
    tagged(bold(usageLine(command).replace(' [options]', '')), roff(description)),
    indented([
      ...own.map((field) => tagged(`.I ${roff(placeholder(field))}`, explanation(field, command))),
      ...options.map((field) => tagged(bold(optionUsage(field)), explanation(field, command))),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function explanation(field: CommandField, command: ClientCommand): string {
  return roff(explain(field, command)) || '\\&'
}

/** The options that a command does not share with the others. */
function withoutShared(options: Readonly<Record<string, OptionDefinition>>): Record<string, OptionDefinition> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, option]) => name !== 'json' && sharedOptions[name] !== option),
  )
}

function optionsOf(options: Readonly<Record<string, OptionDefinition>>): string[] {
  return Object.entries(options).map(([name, option]) =>
    tagged(bold(optionForm(name, option)), roff(option.about ?? '')),
  )
}

function indented(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `.RS\n${parts.join('\n')}\n.RE`
}

/** Returns the items of a Markdown list as paragraphs. */
function points(list: string): string {
  return list
    .split(/^- /m)
    .slice(1)
    .map((point) => `.PP\n${roffOfMarkdown(point.trim())}`)
    .join('\n')
}

const closing = [
  '.SH EXIT STATUS',
  tagged('0', 'Success.'),
  tagged(
    '1',
    'A refusal of the server, a server that does not answer, an answer without some of the books that were asked for, or a failed check.',
  ),
  tagged('2', 'Wrong usage or configuration.'),
  tagged('130', 'Ended by Ctrl\\-C while it sent a file or waited for an import.'),
  '.SH ENVIRONMENT',
  tagged('.BR LECTERN_URL ,\\~ LECTERN_KEY', 'Server and key of the commands that use a server.'),
  tagged('.B LECTERN_DATA_DIR', 'The data of the commands of administrators, and of the server.'),
  tagged('.B LECTERN_MONGODB_URL', 'The database in place of the one in the data directory.'),
  tagged('.B NO_COLOR', 'No bold headings.'),
  tagged(
    '.BR XDG_CONFIG_HOME ,\\~ XDG_STATE_HOME',
    'Where the files below are, in place of ~/.config and ~/.local/state.'.replaceAll('~', '\\(ti'),
  ),
  'The other variables of the server are described in docs/configuration.md.',
  '.SH FILES',
  tagged(
    '.I \\(ti/.config/lectern/profiles.json',
    'Servers and keys that lectern login has stored, for their owner only.',
  ),
  tagged('.I \\(ti/.local/state/lectern/servers', 'Where the servers of this user run.'),
  '.SH EXAMPLES',
  '.EX\nlectern login \\-\\-url https://books.example.com\nlectern upload soap.pdf\nlectern search soap\nlectern read ID 1\\-3\n.EE',
].join('\n')
