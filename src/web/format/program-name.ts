/** Names that programs call themselves by, as people know them. */
const names: Record<string, string> = {
  'claude-ai': 'Claude',
  'claude-code': 'Claude Code',
  'claude-desktop': 'Claude',
  chatgpt: 'ChatGPT',
  'openai-mcp': 'ChatGPT',
  'cursor-vscode': 'Cursor',
  'gemini-cli-mcp-client': 'Gemini CLI',
}

const maxNameLength = 40

/** The name of an assistant as people know it; `an assistant` if it did not say. */
export function programName(name: string | null): string {
  const plain = name?.trim() ?? ''
  if (plain === '') return 'an assistant'
  return names[plain.toLowerCase()] ?? plain.slice(0, maxNameLength).toWellFormed()
}
