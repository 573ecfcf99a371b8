/** The path of the MCP address, below the base URL. */
export const mcpPath = '/api/v1/mcp'
