import type { Doc, Scope, Value } from '../bson/compare.ts'

/** What a pipeline needs from the store; `find` uses indexes. */
export type PipelineEnv = { scope: Scope; find(collection: string, filter: Doc): Iterable<Doc> }

/** Documents in, documents out, one at a time where the stage allows it. */
export type Pipeline = (input: Iterable<Doc>) => Iterable<Doc>

/** What a stage is compiled with: the store, and the compiler for pipelines inside the stage. */
export type StageEnv = PipelineEnv & { compile(stages: Doc[], env: PipelineEnv): Pipeline }

/** Compiles one stage's argument. */
export type Stage = (argument: Value, env: StageEnv) => Pipeline
