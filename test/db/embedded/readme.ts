import { writeFileSync } from 'node:fs'
import { supported } from './supported.ts'

/** The path of the README of the embedded store. */
export const readmePath = new URL('../../../src/db/embedded/README.md', import.meta.url)

/** The folders of the store from the top down: each imports only those after it. */
export const layers = [
  'protocol',
  'commands',
  'engine',
  'storage',
  'update',
  'aggregation',
  'query',
  'bson',
  'errors',
] as const

/** A promise of the embedded store, and the test that proves it: its file below `test/` and its name. */
export interface Guarantee {
  promise: string
  file: string
  test: string
}

const contracts = 'contracts/store'
const own = 'db/embedded'

export const guarantees: Record<string, readonly Guarantee[]> = {
  Durability: [
    {
      promise: 'An acknowledged write survives the death of the process (SIGKILL), together with its index entries.',
      file: `${own}/storage/crash.test.ts`,
      test: 'a store that is killed loses no acknowledged write',
    },
    {
      promise:
        'A write is acknowledged after the disk has it, unless its write concern says `j: false`: then a power failure may cost it, the death of the process does not.',
      file: `${own}/storage/group-commit.test.ts`,
      test: 'a commit waits for the disk if one of its writes requires it',
    },
    {
      promise: 'Commands that arrive together share one commit, and none is answered before it.',
      file: `${own}/storage/group-commit.test.ts`,
      test: 'are committed before the first of them is answered',
    },
    {
      promise: 'A write that a driver repeats (`txnNumber`) is applied once, also after a restart.',
      file: `${own}/start.test.ts`,
      test: 'answers a repeated write the same after a restart, and applies it once',
    },
    {
      promise: 'A write that changes nothing, such as a search for work when there is none, writes nothing to disk.',
      file: `${own}/storage/group-commit.test.ts`,
      test: 'a write that changes nothing writes nothing to disk: %s',
    },
    {
      promise: 'A full disk is reported as OutOfDiskSpace, and what was reported as stored is stored.',
      file: `${own}/storage/group-commit.test.ts`,
      test: 'are refused when the disk is full, and writes succeed when there is space again',
    },
    {
      promise: 'Stopping the store answers the commands that have arrived.',
      file: `${own}/start.test.ts`,
      test: 'answers pending commands before it stops',
    },
  ],
  Atomicity: [
    {
      promise: 'A statement changes a document and all its index entries, or nothing.',
      file: `${contracts}/engine-indexes.test.ts`,
      test: 'an update to a duplicate is refused and changes nothing',
    },
    {
      promise: 'A command that fails for another reason than a refused statement is undone as a whole, and alone.',
      file: `${own}/storage/group-commit.test.ts`,
      test: 'leave nothing behind when they fail midway',
    },
    {
      promise: 'Ordered writes stop at the first refused statement; unordered ones apply all the others.',
      file: `${contracts}/engine-writes.test.ts`,
      test: 'an ordered insert stops at the first duplicate, an unordered one does not',
    },
  ],
  'Order and isolation': [
    {
      promise: 'Commands run one at a time, in the order of their arrival.',
      file: `${own}/storage/group-commit.test.ts`,
      test: 'commands run in order',
    },
    {
      promise: 'The replies of a connection come in the order of its requests.',
      file: `${own}/protocol/wire.test.ts`,
      test: 'is answered in order if requests arrive in one piece or byte by byte',
    },
    {
      promise:
        'The threads of its process are told how often a document or a collection has changed, before a writer is answered.',
      file: `${own}/storage/changes.test.ts`,
      test: 'a change is reported within the process before its writer is answered',
    },
    {
      promise: 'Of concurrent conditional updates of one document exactly as many succeed as the condition allows.',
      file: `${contracts}/engine-writes.test.ts`,
      test: 'of concurrent guarded updates, exactly as many succeed as fit',
    },
    {
      promise: 'An update of many documents changes each once, also when it moves them in the index that it reads.',
      file: `${contracts}/engine-writes.test.ts`,
      test: 'an update that moves documents in the index that it scans processes each once',
    },
    {
      promise:
        'A cursor is no snapshot: between two batches it sees the changes of others, and returns no document twice.',
      file: `${contracts}/engine-cursors.test.ts`,
      test: 'continue when documents that they have not returned yet are changed, deleted and added',
    },
    {
      promise: 'A query finds with indexes what it finds without them, in the same order.',
      file: `${own}/engine/planner.test.ts`,
      test: 'finds the same with indexes as without, in the same order',
    },
    {
      promise: 'Numbers are compared by their exact values, and values of all types by the order of BSON.',
      file: `${own}/storage/keys.test.ts`,
      test: 'order the bytes exactly as compareValues orders the values',
    },
  ],
  Limits: [
    {
      promise: 'A document has 16 MB at most.',
      file: `${contracts}/engine-limits.test.ts`,
      test: 'a document over 16 MB is refused',
    },
    {
      promise: 'A message has 48 MB at most.',
      file: `${contracts}/engine-limits.test.ts`,
      test: 'a message over 48 MB closes its connection, and the others keep working',
    },
    {
      promise: 'Documents are nested 180 deep at most.',
      file: `${contracts}/engine-limits.test.ts`,
      test: 'a document nested more than 180 deep is refused',
    },
    {
      promise: 'A write command has 100,000 statements at most.',
      file: `${contracts}/engine-limits.test.ts`,
      test: 'a command of more than 100,000 statements is refused',
    },
    {
      promise: 'A collection has 64 indexes at most.',
      file: `${contracts}/engine-limits.test.ts`,
      test: 'a collection has 64 indexes at most',
    },
    {
      promise: 'A cursor that is not used for ten minutes is closed.',
      file: `${own}/engine/cursors.test.ts`,
      test: 'is closed after ten idle minutes',
    },
    {
      promise: '`maxTimeMS` ends a query that takes longer.',
      file: `${contracts}/engine-commands.test.ts`,
      test: 'a read that exceeds its time limit is aborted',
    },
    {
      promise: 'Documents that have expired (TTL) are deleted within a minute.',
      file: `${own}/engine/ttl.test.ts`,
      test: 'expired documents are deleted with their index entries, others stay',
    },
  ],
  Access: [
    {
      promise: 'One process at a time has a data directory.',
      file: `${own}/start.test.ts`,
      test: 'locks its directory until it has stopped',
    },
    {
      promise: 'The socket and the file are for their owner only.',
      file: `${own}/start.test.ts`,
      test: 'is accessible to its own user only',
    },
    {
      promise:
        'A client has to know a secret: that of the data directory on a socket, that of this start on a loopback port (where there are no Unix sockets).',
      file: `${own}/protocol/secret.test.ts`,
      test: 'refuses a driver that has another secret',
    },
    {
      promise: 'Bytes that are no message close their connection and nothing else.',
      file: `${own}/protocol/wire.test.ts`,
      test: 'that speaks %s is closed, and the server keeps running',
    },
  ],
}

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

function renderSupported(): string {
  const commands = [...supported.commands].map(
    ([name, fields]) => `- \`${name}\`${fields.length > 0 ? ': ' : ''}${code(fields)}`,
  )
  return `Commands, with the fields that each takes (\`saslStart\` with PLAIN comes before them):

${commands.join('\n')}

| | |
| --- | --- |
| fields of every command | ${code(supported.generic)} |
| write concern | ${code(supported.writeConcern)} |
| statements of \`update\` | ${code(supported.updateStatement)} |
| statements of \`delete\` | ${code(supported.deleteStatement)} |
| commands to \`explain\` | ${code(supported.explain)} |
| query operators | ${code(supported.query)} |
| update operators | ${code(supported.update)} |
| beside \`$each\` in \`$push\` | ${code(supported.push.filter((name) => name !== '$each'))} |
| stages of an update pipeline | ${code(supported.updateStages)} |
| stages of \`aggregate\` | ${code(supported.stages)} |
| accumulators of \`$group\` | ${code(supported.accumulators)} |
| expression operators | ${code(supported.expressions)} |
| variables | ${code(supported.variables)} |
| index options | ${code(supported.index)} |
| BSON types | ${code(supported.types)} |

Within these: projections keep fields or leave them out; \`$project\` also computes fields. Regular expressions are literal text, with \`^\` at
the start or without, and the option \`i\`. \`$lookup\` joins by equal fields. Partial indexes hold the documents in which some fields have
given values. \`$cond\` takes an array, \`$dateTrunc\` minutes in UTC. In the path of an update \`$\` stands for the element that the filter
matched.`
}

function renderGuarantees(): string {
  return Object.entries(guarantees)
    .map(([group, list]) => {
      const lines = list.map(({ promise, file, test }) => `- ${promise}\n  (\`test/${file}\`: ${test})`)
      return `### ${group}\n\n${lines.join('\n')}`
    })
    .join('\n\n')
}

/** The README of the embedded store. Supported features and guarantees come from the code and from the list above. */
export function renderReadme(): string {
  return `# The embedded store

<!-- Written by \`node test/db/embedded/readme.ts\`; a test fails when this file is not what that writes. -->

Lectern keeps its data in MongoDB. On a machine that has none, with no \`LECTERN_MONGODB_URL\`, it starts this store: a small server, in a
worker thread, that speaks MongoDB's wire protocol on a Unix socket and keeps the documents in one SQLite file. The application, its job
queue (Agenda) and the OAuth adapter use the same MongoDB driver in both cases, so there is one code path.

It does not replace MongoDB. It supports a closed set of commands, operators and options: those that the application, the driver and Agenda
send. Everything else is refused with MongoDB's own error codes; nothing is approximated or ignored.

## How a command runs

\`start.ts\` starts \`worker.ts\` in a thread, which opens the file and listens (\`store.ts\`). Then, for each command:

1. \`protocol/\`: \`server.ts\` assembles the bytes of a connection into messages, \`wire.ts\` parses them, and \`scheduler.ts\` queues them.
   \`prepare.ts\` decodes a request, finds its command and refuses every field that the command does not take.
2. \`commands/\`: one file a command or a few that belong together; \`registry.ts\` lists them. A command checks its fields, runs, and returns
   a reply.
3. \`query/\`, \`aggregation/\` and \`update/\` compile what the command says into functions: filters, sorts and projections; pipelines and
   expressions; update operators.
4. \`engine/\`: \`plan.ts\` chooses index ranges (\`bounds.ts\`, \`index-access.ts\`), \`scan.ts\` reads them, \`execute.ts\` tests the whole filter
   on each candidate and sorts where no index gives the order. \`cursors.ts\` keeps what does not fit into a batch, \`ttl.ts\` deletes what
   has expired.
5. \`storage/\`: \`sqlite.ts\` is the connection to the file, \`catalog.ts\` knows the collections and their indexes, \`records.ts\` writes
   documents together with their index entries. A collection is a table of documents, an index a table of keys whose bytes sort as the
   values do (\`keys.ts\`).
6. A write runs in a savepoint of the SQLite transaction that all commands of this turn share (\`group-commit.ts\`). If it has
   changed something, its answer is kept for a repeated attempt (\`retries.ts\`), in the same transaction.
7. The scheduler commits, and then sends the replies.

\`bson/\` (values, their order, their bytes) and \`errors/\` (MongoDB's codes) are what the others stand on. Each folder imports only those
below it: ${code(layers)}.

## What it supports

${renderSupported()}

## Guarantees

Each with the test that proves it.

${renderGuarantees()}

## What it refuses

- Commands, fields, operators, stages and BSON types that are not listed above, each by its name
  (\`test/contracts/store/engine-refusals.test.ts\`).
- Multi-document transactions: the first command is refused (263). Sessions and retryable writes work.
- Collations, views, capped and time series collections, change streams, text and geospatial queries, server-side JavaScript.
- Read concerns: there is one member, and every read sees what the writes before it have left.
- Sorts that need more than 256 MB of memory: they want an index.

## How it is tested

- \`test/db/embedded/cases/\` are conformance cases: documents, a filter, update, pipeline or expression, and MongoDB's answer. They run
  against the functions (\`test/db/embedded/\`) and against a whole store through the driver (\`test/contracts/store/\`); the latter also
  against the MongoDB of \`LECTERN_TEST_MONGODB_URL\`.
- \`test/db/embedded/engine/planner.test.ts\` and \`storage/keys.test.ts\` compare plans with full scans and keys with values, at random.
- \`test/db/embedded/storage/crash.test.ts\` kills a writing process several times and looks for acknowledged writes.
- \`test/db/embedded/issued.test.ts\` reads the sources of the application and of Agenda: it fails when they name an operator, stage or
  command that is not supported, and when one is supported that they do not name.
`
}

if (import.meta.main) writeFileSync(readmePath, renderReadme())
