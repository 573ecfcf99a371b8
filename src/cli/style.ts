import { hasColours, type Terminal } from './terminal.ts'

/** How a response is shown: on a terminal for people, elsewhere for programs. */
export interface Style {
  isTerminal: boolean
  colours: boolean
  /** Characters per line. */
  columns: number
}

/** The style for stdout. */
export function styleOf(terminal: Terminal): Style {
  const { stdout } = terminal
  return { isTerminal: stdout.isTTY === true, colours: hasColours(terminal, stdout), columns: stdout.columns ?? 100 }
}

export function bold(text: string, { colours }: Pick<Style, 'colours'>): string {
  return colours ? `\u001B[1m${text}\u001B[22m` : text
}
