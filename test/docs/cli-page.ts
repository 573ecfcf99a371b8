import { commands as localCommands } from '../../src/admin/commands/index.ts'
import type { ClientCommand, CommandTable } from '../../src/cli/command-table.ts'
import { usageLine } from '../../src/cli/help.ts'
import { ownCommands } from '../../src/cli/own-commands.ts'
import { renderCommandTable } from './cli-commands.ts'

/** The page of the command line program. */
export function renderCliPage(): string {
  const rows = localCommands.map(({ name }) => `- [${name}](#${name.replaceAll(' ', '-')})`)
  return `# The lectern command

<!-- Written by \`npm run docs\` from src/cli and src/admin/commands; a test fails when this file is not what that writes. -->

[Installed as a package](deploying.md#one-machine) the command is \`lectern\`; in the folder of a clone it is
\`npm run --silent lectern --\`. It has two halves: commands that [use a server](#use-a-server), with an account on it, and commands
for [administrators](#administer), which work on the data itself. \`lectern help\` lists all of them; \`--help\` after a command, and
\`help\` before one, says what it takes.

- What a script takes over is alone on stdout: an id, a key, a link, rows. Remarks, progress and refusals are on stderr.
- \`--json\` prints one JSON value in place of text for people, and no remarks. A refusal is then \`{"error": …, "code": …}\`.
- The exit status is 0 for success, 1 for a refusal or a failed check, 2 for wrong usage or configuration.
- \`--name value\` and \`--name=value\` are the same. In the usage lines below, \`[…]\` marks what may be left out.

## Use a server

\`\`\`sh
lectern login --url https://books.example.com
lectern upload soap.pdf
lectern search soap
lectern read ID 1-3
\`\`\`

Each route that a key can call is a command, with the fields of the route as its options: \`lectern shelves add\` is
\`add_to_shelf\`. The first word is what the route is about, the second the tool's name without it.

- **Server and key**: \`--url\` and \`--key\`, else the variables \`LECTERN_URL\` and \`LECTERN_KEY\`, else a profile. \`lectern login\` makes
  the profile \`default\`, with \`--profile\` another one; \`--profile\` chooses one. They are in \`lectern/profiles.json\` below
  \`$XDG_CONFIG_HOME\` or \`~/.config\`, for their owner only. The key of a profile goes to the server of that profile alone.
  With a key and nothing else, commands call \`http://localhost:3000\`.
- **Without a browser**: \`lectern login --key -\` asks for a key that was made elsewhere.
- **Values**: ids and names stand behind the command without an option, or with it. A list is one value with commas, the option
  several times, or a JSON array. Objects are JSON. \`@FILE\` stands for the text of a file and \`-\` for that of stdin where a
  value is JSON or a long text; a text that begins with \`@\` has it twice. \`--no-NAME\` turns a switch off and empties a field.
- **Answers**: \`--json\` prints the body of the route as it is. Without it, pages are their text, lists are tables on a terminal and
  rows with tabs elsewhere, and all else is names and values. \`NO_COLOR\` turns off bold headings. A file goes to \`--output\`, else
  to stdout; on a terminal into the current folder under its own name.
- **Uploads**: Ctrl-C ends the waiting; what was sent becomes a book all the same.
- **Completion**: \`source <(lectern completion bash)\`, the same with zsh, or \`lectern completion fish | source\`.

${renderDerived()}

## Administer

\`\`\`sh
npm run --silent lectern -- user create --email you@example.com --admin
\`\`\`

These commands read the same [environment variables](configuration.md) as the server, and work on the same data: beside a running
server, or without one. A server that runs as the same user on the same machine is found by itself, with its data folder and its
address; it notes down where it is in \`~/.local/state/lectern/servers\` (or below \`XDG_STATE_HOME\`). Otherwise set
\`LECTERN_DATA_DIR\`, or \`LECTERN_MONGODB_URL\` and the file settings, as the server has them. Where there is no library, a
command makes none and says so; only \`user create\` begins one, where a variable names the place or in the folder of the
installation. A relative \`--file\` or \`--data-dir\` starts where you stand, also below the folder of the installation.

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
