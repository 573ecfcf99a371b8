/** Display names for the names by which programs identify themselves. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'claude-ai': 'Claude',
    'claude-code': 'Claude Code',
    'claude-desktop': 'Claude',
    chatgpt: 'ChatGPT',
    'openai-mcp': 'ChatGPT',
    'cursor-vscode': 'Cursor',
    'gemini-cli-mcp-client': 'Gemini CLI',
  }),
)

const maxNameLength = 40

/** The display name of an assistant; `an assistant` if it has no name. */
export function programName(name: string | null): string {
  const plain = name?.trim() ?? ''
  if (plain === '') return 'an assistant'
  return names.get(plain.toLowerCase()) ?? plain.slice(0, maxNameLength).toWellFormed()
}
