import { errorCatalogue } from '../../src/core/error-catalogue.ts'
import { AppError, type ErrorCode } from '../../src/core/errors.ts'
import { refusalResult } from '../../src/mcp/tool-result.ts'
import { httpErrorMappings } from '../../src/transport/refusals.ts'

/** The prefix of a refusal over MCP. */
function mcpPrefix(code: ErrorCode): string {
  const { content } = refusalResult(new AppError(code, 'message'), 'requestId')
  return String(content[0]?.text).split(':')[0] ?? ''
}

/** Writes the page of all refusals. */
export function renderErrorsPage(): string {
  const rows = (Object.keys(errorCatalogue) as ErrorCode[]).map((code) => {
    const { cause, remedy, retryable } = errorCatalogue[code]
    const { status, bodyCode } = httpErrorMappings[code]
    const notes = [
      ...(bodyCode === false ? ['over REST without a code'] : []),
      ...(typeof bodyCode === 'string' ? [`over REST as \`${bodyCode}\``] : []),
      ...(mcpPrefix(code) === code ? [] : [`over MCP the text begins with \`${mcpPrefix(code)}\``]),
    ]
    const cells = [[`\`${code}\``, ...notes].join('; '), status, cause, remedy, retryable ? 'yes' : 'no']
    return `| ${cells.join(' | ')} |`
  })
  return `# Errors

<!-- Written by \`npm run docs\` from src/core/error-catalogue.ts; a test fails when this file is not what that writes. -->

Over REST a refusal is JSON with \`error\` (a sentence for people, with the way out), \`code\` (for programs; a few refusals have
none) and \`requestId\` (identifies the request in the server's log). Some refusals have more fields, such as \`currentVersion\`.

Over MCP a refusal is a tool result with \`isError: true\`. The first text block begins with the code, or with the phrase that the
table names. The second text block is JSON: \`code\`, \`retryable\`, \`next\` (the remedy), \`requestId\`, and
\`retryAfterSeconds\` where it is known. Every refusal has a code there.

If the server itself has an error, it answers 500 with \`Internal error\` and the request id. The details are in the log only.

| code | HTTP status | cause | remedy | same call may succeed later |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}
