/** A refusal with one of MongoDB's own error codes; the wire layer turns it into `{ok: 0, code, codeName, errmsg}`. */
export class CommandError extends Error {
  readonly code: number
  readonly codeName: string
  /** `TransientTransactionError`, `RetryableWriteError` … where the driver must act on it. */
  readonly labels: readonly string[]

  constructor(codeName: CodeName, message: string, labels: readonly string[] = []) {
    super(message)
    this.name = 'CommandError'
    this.code = codeOf(codeName)
    this.codeName = codeName
    this.labels = labels
  }
}

/** MongoDB's error codes that this store can answer (server source, `error_codes.yml`). */
export const codes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  UserNotFound: 11,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  UnsatisfiableWriteConcern: 100,
  WriteConflict: 112,
  CommandNotSupported: 115,
  ConflictingOperationInProgress: 117,
  ExceededMemoryLimit: 146,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  InvalidIndexSpecificationOption: 197,
  QueryFeatureNotAllowed: 224,
  TransactionTooOld: 225,
  ConversionFailure: 241,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  OperationNotSupportedInTransaction: 263,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  APIVersionError: 322,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  OutOfDiskSpace: 14031,
  IDLFailedToParse: 40414,
  IDLUnknownField: 40415,
} as const

/** A name of the table, or `Location` and a number: MongoDB names its unnamed codes so. */
export type CodeName = keyof typeof codes | `Location${number}`

function codeOf(name: CodeName): number {
  return name in codes ? codes[name as keyof typeof codes] : Number(name.slice('Location'.length))
}
