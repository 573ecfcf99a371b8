import { escapeInvisible } from '../runtime/escape-invisible.ts'

interface LogEntry {
  level: string
  time: string
  msg?: string
  err?: LoggedError
}

interface LoggedError {
  message: string
  code?: unknown
  stack?: string
  cause?: LoggedError
}

/**
 * Formats a JSON log line for people: time, level, message, then the fields as `name=value`. An error is shown as its
 * message and those of its causes; at the level `error`, which is for defects only, its stack follows.
 */
export function formatLogLine(line: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as LogEntry
  const details = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`)
  const head = [time.slice(11, 19), level.padEnd(5), withReasons(msg, err), ...details].join(' ')
  const stack = level === 'error' && err?.stack ? `\n${indent(err.stack)}` : ''
  // Logged text must not control the terminal or forge a line.
  return `${escapeInvisible(head).replaceAll('\n', '\\n')}${escapeInvisible(stack)}\n`
}

function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
}

function withReasons(message: string, error: LoggedError | undefined): string {
  const reasons: string[] = []
  for (let reason = error; reason; reason = reason.cause) reasons.push(reason.message)
  return [message, ...reasons].filter((part) => part !== '').join(': ')
}

function indent(text: string): string {
  return text.replaceAll(/^\s*/gm, '    ')
}
