import { derivedRefusals } from '../../src/http/openapi/refusal-codes.ts'
import type { Metrics } from '../../src/http/metrics.ts'
import { tools } from '../../tools/index.ts'
import type { Declaration } from '../../src/core/tool.ts'

/** The refusals of a server, such as `get_job NOT_FOUND`, that the declaration of the capability lacks. */
export async function undeclaredRefusals(metrics: Metrics): Promise<string[]> {
  const text = await (await metrics.render()).text()
  const given = [...text.matchAll(/^lectern_refusals_total\{tool="(\w+)",code="(\w+)"\}/gm)]
  return given.flatMap(([, name = '', code = '']) => {
    const tool = tools.find((candidate) => candidate.name === name)
    return tool && !mayRefuse(tool, code) ? [`${name} ${code}`] : []
  })
}

function mayRefuse(tool: Declaration, code: string): boolean {
  const codes: readonly string[] = [...derivedRefusals(tool), ...(tool.refusals ?? [])]
  // Over MCP every call counts in a rate bucket.
  return codes.includes(code) || (code === 'RATE_LIMITED' && tool.mcp !== false)
}
