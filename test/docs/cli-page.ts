import { commands } from '../../src/admin/commands/index.ts'

/** The page of the command line program. */
export function renderCliPage(): string {
  const sections = commands.map(({ name, usage, summary }) =>
    [`## ${name}`, '', `\`${`${name} ${usage}`.trim()}\``, '', summary].join('\n'),
  )
  const rows = commands.map(({ name }) => `- [${name}](#${name.replaceAll(' ', '-')})`)
  return `# The lectern command

<!-- Written by \`npm run docs\` from src/admin/commands; a test fails when this file is not what that writes. -->

For administrators. [Installed as a package](deploying.md#one-machine) the command is \`lectern\`; in the folder of a clone it is

\`\`\`sh
npm run --silent lectern -- user create --email you@example.com --admin
\`\`\`

A command reads the same [environment variables](configuration.md) as the server, and works on the same data: beside a running
server, or without one. A server that runs as the same user on the same machine is found by itself, with its data folder and its
address; it notes down where it is in \`~/.local/state/lectern/servers\` (or below \`XDG_STATE_HOME\`). Otherwise set
\`LECTERN_DATA_DIR\`, or \`LECTERN_MONGODB_URL\` and the file settings, as the server has them. Where there is no library, a command makes none and says so; only \`user create\` begins one, where a variable names the place or in the
folder of the installation.

- What a script takes over is alone on stdout: an id, a key, a link, rows. Remarks, progress and refusals are on stderr.
- \`--json\` prints one JSON value in place of text for people, and no remarks. A refusal is then \`{"error": …, "code": …}\`.
- A relative \`--file\` or \`--data-dir\` starts where you stand, also below the folder of the installation.
- The exit status is 0 for success, 1 for a refusal or a failed check, 2 for wrong usage or configuration.
- \`--name value\` and \`--name=value\` are the same. In the usage lines below, \`[…]\` marks what may be left out.

${rows.join('\n')}

${sections.join('\n\n')}
`
}
