import { join } from 'node:path'

/** A program on this machine that reads the URLs of MCP servers from a settings file. */
export interface LocalAssistant {
  /** Its name for `--client`. */
  id: string
  name: string
  format: 'json' | 'toml'
  /** Its settings file for all projects of a user. */
  file: string
  /** Files and folders that indicate that it is installed. */
  signs: readonly string[]
  /** The key of its servers in the file. */
  servers: string
  /** Its format for a server with this MCP URL. */
  entry(address: string): Record<string, unknown>
  /** The next step for its user. */
  next: string
}

/** Where a user's files are stored, by operating system. */
export interface Home {
  platform: NodeJS.Platform
  folder: string
  environment: Readonly<Record<string, string | undefined>>
}

/** The folder for settings of graphical programs. */
function settingsFolder({ platform, folder, environment }: Home): string {
  if (platform === 'win32') return environment['APPDATA'] ?? join(folder, 'AppData/Roaming')
  if (platform === 'darwin') return join(folder, 'Library/Application Support')
  return environment['XDG_CONFIG_HOME'] ?? join(folder, '.config')
}

const byUrl = (url: string) => ({ url })

/** The assistants that `lectern connect` supports, with the paths in their vendors' documentation. */
export function localAssistants(home: Home): readonly LocalAssistant[] {
  return [...inTerminals(home), ...inWindows(home)]
}

function inTerminals({ folder, environment }: Home): LocalAssistant[] {
  const inHome = (path: string) => join(folder, path)
  const codex = environment['CODEX_HOME'] ?? inHome('.codex')
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      format: 'json',
      file: inHome('.claude.json'),
      signs: [inHome('.claude.json'), inHome('.claude')],
      servers: 'mcpServers',
      entry: (url) => ({ type: 'http', url }),
      next: 'Type /mcp in Claude Code, choose lectern, then Authenticate.',
    },
    {
      id: 'codex',
      name: 'Codex',
      format: 'toml',
      file: join(codex, 'config.toml'),
      signs: [codex],
      servers: 'mcp_servers',
      entry: byUrl,
      next: 'Run codex mcp login lectern.',
    },
    {
      id: 'gemini-cli',
      name: 'Gemini CLI',
      format: 'json',
      file: inHome('.gemini/settings.json'),
      signs: [inHome('.gemini')],
      servers: 'mcpServers',
      entry: (httpUrl) => ({ httpUrl }),
      next: 'Type /mcp auth lectern in Gemini CLI.',
    },
  ]
}

function inWindows(home: Home): LocalAssistant[] {
  const settings = settingsFolder(home)
  const inHome = (path: string) => join(home.folder, path)
  const zed = home.platform === 'win32' ? join(settings, 'Zed') : inHome('.config/zed')
  const desktop = join(settings, 'Claude')
  const code = join(settings, 'Code/User')
  return [
    {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      format: 'json',
      file: join(desktop, 'claude_desktop_config.json'),
      signs: [desktop],
      servers: 'mcpServers',
      // Its file supports only programs. A server with a public https URL is better added under Settings, Connectors.
      entry: (url) => ({ command: 'npx', args: ['-y', 'mcp-remote', url] }),
      next: 'Restart Claude Desktop, which needs Node to be installed; a browser opens to sign in.',
    },
    {
      id: 'cursor',
      name: 'Cursor',
      format: 'json',
      file: inHome('.cursor/mcp.json'),
      signs: [inHome('.cursor')],
      servers: 'mcpServers',
      entry: byUrl,
      next: 'Restart Cursor, and log in to lectern in its settings under MCP.',
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      format: 'json',
      file: join(code, 'mcp.json'),
      signs: [code],
      servers: 'servers',
      entry: (url) => ({ type: 'http', url }),
      next: 'Run the command MCP: List Servers in VS Code, choose lectern, then Start Server.',
    },
    {
      id: 'zed',
      name: 'Zed',
      format: 'json',
      file: join(zed, 'settings.json'),
      signs: [zed],
      servers: 'context_servers',
      entry: byUrl,
      next: 'Open the settings of the Agent Panel in Zed, and sign in to lectern.',
    },
    {
      id: 'windsurf',
      name: 'Windsurf',
      format: 'json',
      file: inHome('.codeium/windsurf/mcp_config.json'),
      signs: [inHome('.codeium/windsurf')],
      servers: 'mcpServers',
      entry: (serverUrl) => ({ serverUrl }),
      next: 'Refresh the MCP servers in Windsurf, and sign in to lectern.',
    },
  ]
}
