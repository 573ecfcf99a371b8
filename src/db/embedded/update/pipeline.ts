import { assign, compileComputedFields } from '../aggregation/computed-fields.ts'
import type { Scope } from '../aggregation/operators.ts'
import { eachDoc } from '../aggregation/stage.ts'
import type { Pipeline, Stage, StageContext } from '../aggregation/stage.ts'
import { compileStage, docFor } from '../aggregation/stages.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { checkPath } from '../query/projection.ts'

/** The stages of an update pipeline, by name. */
export const updateStages: ReadonlyMap<string, Stage> = new Map<string, Stage>([
  ['$set', set],
  ['$unset', unset],
])

/** Compiles an update pipeline; refuses forbidden and unsupported stages (40324). */
export function compileUpdatePipeline(stages: readonly Doc[], scope: Scope): (doc: Doc) => Doc {
  const compiled = stages.map((stage) => compileStage(stage, updateStages, { scope, find: () => [] }))
  return (doc) => {
    const [updated = doc] = compiled.reduce<Iterable<Doc>>((documents, stage) => stage(documents), [doc])
    return updated
  }
}

function set(argument: Value, { scope }: StageContext): Pipeline {
  const spec = docFor('$set', argument, 'Location40272')
  if (Object.keys(spec).length === 0) {
    throw new CommandError('Location40177', 'Invalid $set: the specification must have at least one field')
  }
  const compute = compileComputedFields(spec, scope, '$set')
  return eachDoc((doc) => compute(doc, doc))
}

function unset(argument: Value): Pipeline {
  if (typeof argument !== 'string') {
    throw new CommandError('CommandNotSupported', '$unset of anything but one field is not supported by this store')
  }
  checkPath(argument)
  if (argument.includes('.')) {
    throw new CommandError('CommandNotSupported', `$unset of the path '${argument}' is not supported by this store`)
  }
  return eachDoc((doc) => assign(doc, [argument], undefined))
}
