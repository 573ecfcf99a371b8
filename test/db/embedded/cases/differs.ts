/** Why another engine answers a case differently from MongoDB's server, by engine; such a case is not run there. */
export type Differs = { documentdb: string }
