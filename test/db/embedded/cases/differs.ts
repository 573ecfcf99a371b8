/** Why an engine answers a case differently from MongoDB's server, by engine. Such a case is not run on that engine. */
export type Differs = { documentdb: string }
