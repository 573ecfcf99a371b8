import { Int32 } from 'bson'
import type { Doc } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { DuplicateKeyError } from '../storage/duplicate-key.ts'
import { maxWriteBatch } from './limits.ts'

/** The error of one statement in `writeErrors`. */
function writeError(index: number, error: CommandError): Doc {
  const { keyPattern, keyValue } = error instanceof DuplicateKeyError ? error : {}
  return {
    index: new Int32(index),
    code: new Int32(error.code),
    ...(keyPattern && keyValue && { keyPattern, keyValue }),
    errmsg: error.message,
  }
}

/**
 * Runs the statements of a write command in order and returns refusals as `writeErrors`; an ordered command stops at
 * the first. Any other error (a defect, a full disk) is thrown and rolls back the whole command.
 */
export function runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, index: number) => void,
): Doc[] {
  if (statements.length === 0 || statements.length > maxWriteBatch) {
    const message = `Write batch sizes must be between 1 and ${maxWriteBatch}. Got ${statements.length} operations.`
    throw new CommandError('InvalidLength', message)
  }
  const errors: Doc[] = []
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      errors.push(writeError(index, error))
      if (ordered) break
    }
  }
  return errors
}
