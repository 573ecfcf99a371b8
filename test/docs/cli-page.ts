import { adminCommands as localCommands } from '../support/admin-commands.ts'
import type { ClientCommand, CommandTable } from '../../src/cli/command-table.ts'
import { usageLine } from '../../src/cli/help.ts'
import { ownCommands } from '../../src/cli/own-commands.ts'
import { renderCommandTable } from './cli-commands.ts'
import { administrationNote, clientNotes, outputNotes, routeNote } from './cli-prose.ts'

/** Writes the page of the command line program. */
export function renderCliPage(): string {
  const rows = localCommands.map(({ name }) => `- [${name}](#${name.replaceAll(' ', '-')})`)
  return `# The lectern command

<!-- Written by \`npm run docs\` from src/cli and src/admin/commands; a test fails when this file is not what that writes. -->

[Installed as a package](deploying.md#one-machine) the command is \`lectern\`; in the folder of a clone it is
\`npm run --silent lectern --\`. It has two halves: commands that [use a server](#use-a-server), with an account on it, and commands
for [administrators](#administer), which work on the data itself. \`lectern help\` lists all of them; \`--help\` after a command, and
\`help\` before one, says what it takes.

${outputNotes}

## Use a server

\`\`\`sh
lectern login --url https://books.example.com
lectern upload soap.pdf
lectern search soap
lectern read ID 1-3
\`\`\`

${routeNote}

${clientNotes}

${renderDerived()}

## Administer

\`\`\`sh
npm run --silent lectern -- user create --email you@example.com --admin
\`\`\`

${administrationNote}

${rows.join('\n')}

${localCommands
  .map(({ name, usage, summary }) => [`## ${name}`, '', `\`${`${name} ${usage}`.trim()}\``, '', summary].join('\n'))
  .join('\n\n')}
`
}

function renderDerived(): string {
  const { topics, commands } = JSON.parse(renderCommandTable()) as CommandTable
  const row = (usage: string, summary: string) =>
    `| \`${usage.replaceAll('|', '\\|')}\` | ${summary.replaceAll('|', '\\|')} |`
  const rowOf = (command: ClientCommand) => row(usageLine(command).replace('lectern ', ''), command.title)
  const table = (rows: readonly string[]) => ['| command | what it does |', '| --- | --- |', ...rows].join('\n')
  const own = ownCommands.map(({ name, usage, summary }) => row(`${name} ${usage}`.trim(), summary))
  const daily = commands.filter(({ name }) => !name.includes(' '))
  const sections = Object.entries(topics).map(([topic, about]) => {
    const ofTopic = commands.filter(({ name }) => name.startsWith(`${topic} `))
    return `### ${topic}\n\n${about}.\n\n${table(ofTopic.map(rowOf))}`
  })
  return [table([...own, ...daily.map(rowOf)]), ...sections].join('\n\n')
}
