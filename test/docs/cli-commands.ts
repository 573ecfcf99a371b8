import { adminCommands as local } from '../support/admin-commands.ts'
import type { CommandTable } from '../../src/cli/command-table.ts'
import { deriveCommands } from '../../src/cli/derive-commands.ts'
import { topics } from '../../src/cli/derive-name.ts'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { tools } from '../../tools/index.ts'

/** The table of the commands as JSON, with a line for each. */
export function renderCommandTable(): string {
  const table = deriveTable()
  const lines = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).join(',\n')
  return `{"topics":${JSON.stringify(table.topics)},
"commands":[
${lines(table.commands)}
],
"local":[
${lines(table.local)}
]}
`
}

/** The commands of all declarations, and those of administrators. */
function deriveTable(): CommandTable {
  const document = openApiDocument({ tools, baseUrl: 'https://lectern.invalid', version: '' })
  return {
    topics,
    commands: deriveCommands(tools, document),
    local: local.map(({ name, usage, summary }) => ({ name, usage, summary })),
  }
}
