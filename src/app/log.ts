import { writeSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { formatLogLine } from './log-line.ts'

/**
 * Creates a logger on stderr that redacts credentials in logged fields: JSON lines, or on a terminal lines for people.
 * `forTerminal` is for tests.
 */
export function createLog(level: string, forTerminal: boolean = process.stderr.isTTY): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      redact: ['authorization', 'cookie', '*.authorization', '*.cookie', 'key', 'password', 'secret', 'token'],
    },
    forTerminal
      ? { write: (line) => void writeSync(2, formatLogLine(line)) }
      : pino.destination({ dest: 2, sync: true }),
  )
}

const secretPattern = /\b(?:lectern|ck)_[0-9A-Za-z_]{20,}\b|(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g

/** Serializes an error for the log; redacts keys, tokens and passwords in URLs. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redact(String(error)) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? { code: error.code } : {}
  const inner = cause === undefined ? {} : { cause: serializeError(cause) }
  return { type: name, message: redact(message), ...code, stack: redact(stack ?? ''), ...inner }
}

function redact(text: string): string {
  return text.replaceAll(secretPattern, '[removed]')
}
