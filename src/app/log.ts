import { pino, type Logger } from 'pino'

/** JSON logs on stderr. Credentials are taken out wherever they turn up in logged fields. */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      redact: ['authorization', 'cookie', '*.authorization', '*.cookie', 'key', 'password', 'secret', 'token'],
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

const secretPattern = /\b(?:lectern|ck)_[0-9A-Za-z_]{20,}\b|(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g

/** An error as it is logged: message and stack without keys, tokens and passwords in addresses. */
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
