import { writeSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { isStoreFull, isStoreUnavailable } from '../core/errors.ts'
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
      serializers: { err: (error) => serializeError(error, { outageStacks: level === 'debug' || level === 'trace' }) },
      redact: ['authorization', 'cookie', '*.authorization', '*.cookie', 'key', 'password', 'secret', 'token'],
    },
    forTerminal
      ? { write: (line) => void writeSync(2, formatLogLine(line)) }
      : pino.destination({ dest: 2, sync: true }),
  )
}

const secretPattern = /\b(?:lectern|ck)_[0-9A-Za-z_]{20,}\b|(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g

/**
 * Serializes an error for the log; redacts keys, tokens and passwords in URLs. While a store is full or does not answer,
 * every call fails in a known way, so its stack is left out unless it is asked for.
 */
function serializeError(error: unknown, { outageStacks }: { outageStacks: boolean }): object {
  const hasStack = outageStacks || !(isStoreUnavailable(error) || isStoreFull(error))
  const serialize = (one: unknown): object => {
    if (!(one instanceof Error)) return { message: redact(String(one)) }
    const { name, message, stack, cause } = one
    const code = 'code' in one ? { code: one.code } : {}
    const trace = hasStack ? { stack: redact(stack ?? '') } : {}
    const inner = cause === undefined ? {} : { cause: serialize(cause) }
    return { type: name, message: redact(message), ...code, ...trace, ...inner }
  }
  return serialize(error)
}

function redact(text: string): string {
  return text.replaceAll(secretPattern, '[removed]')
}
