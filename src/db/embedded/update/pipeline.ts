import { compilePipeline } from '../aggregation/pipeline.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Doc, Scope } from '../bson/compare.ts'

const allowed = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith'])

/** Compiles an update pipeline, in which only stages that keep one document one document are allowed. */
export function compileUpdatePipeline(stages: Doc[], scope: Scope): (doc: Doc) => Doc {
  const foreign = stages.flatMap((stage) => Object.keys(stage)).find((name) => !allowed.has(name))
  if (foreign !== undefined) {
    const known = foreign.startsWith('$')
    throw new CommandError(
      known ? 'InvalidOptions' : 'Location40324',
      `${foreign} is not allowed to be used within an update`,
    )
  }
  const run = compilePipeline(stages, { scope, find: () => [] })
  return (doc) => {
    const [updated = doc] = run([doc])
    return updated
  }
}
