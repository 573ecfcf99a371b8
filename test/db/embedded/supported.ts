import { accumulators } from '../../../src/db/embedded/aggregation/accumulators.ts'
import { expressionVariables } from '../../../src/db/embedded/aggregation/expressions.ts'
import { expressionOperators } from '../../../src/db/embedded/aggregation/operators.ts'
import { stages } from '../../../src/db/embedded/aggregation/stages.ts'
import { typeRanks } from '../../../src/db/embedded/bson/values.ts'
import { deleteFields } from '../../../src/db/embedded/commands/delete.ts'
import { explainable } from '../../../src/db/embedded/commands/explain.ts'
import { commands } from '../../../src/db/embedded/commands/registry.ts'
import { updateFields } from '../../../src/db/embedded/commands/update.ts'
import { genericFields, writeConcernFields } from '../../../src/db/embedded/protocol/prepare.ts'
import { fieldOperators, logicalOperators } from '../../../src/db/embedded/query/match.ts'
import { indexOptions } from '../../../src/db/embedded/storage/index-spec.ts'
import { pushClauses } from '../../../src/db/embedded/update/arrays.ts'
import { updateOperators } from '../../../src/db/embedded/update/operators.ts'
import { updateStages } from '../../../src/db/embedded/update/pipeline.ts'

/** The names that the embedded store supports, each group from the registry that the store itself uses. */
export const supported = {
  types: Object.keys(typeRanks).filter((name) => name !== 'missing'),
  commands: new Map([...commands].map(([name, { fields }]) => [name, fields])),
  generic: genericFields,
  writeConcern: writeConcernFields,
  updateStatement: updateFields,
  deleteStatement: deleteFields,
  explain: [...explainable.keys()],
  query: [...logicalOperators.keys(), ...fieldOperators.keys()],
  update: [...updateOperators.keys()],
  push: pushClauses,
  updateStages: [...updateStages.keys()],
  stages: [...stages.keys()],
  expressions: [...expressionOperators.keys()],
  variables: [...expressionVariables.keys()].map((name) => `$$${name}`),
  accumulators: [...accumulators.keys()],
  index: indexOptions,
}

/** All operators, stages and variables, in any position. */
export const supportedWords: ReadonlySet<string> = new Set([
  ...supported.query,
  ...supported.update,
  ...supported.push,
  ...supported.updateStages,
  ...supported.stages,
  ...supported.expressions,
  ...supported.variables,
  ...supported.accumulators,
])
