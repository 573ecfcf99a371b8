import { parseArgs } from 'node:util'
import { z } from 'zod'
import { apis } from './live-agent.ts'

const usage = `npm run evaluate -- [--tasks a,b] [--jobs N] [--transcripts DIR] [--record DIR]
  replays transcripts through the server; with --record writes them anew, with the results of now
npm run evaluate -- --endpoint URL --api anthropic|openai --model M [--key-env NAME] [--tasks a,b] [--jobs N] [--record DIR]
  lets a model do the tasks; URL is the base of its API with the version, such as https://api.example.com/v1;
  NAME is the environment variable that holds its key`

const Options = z
  .strictObject({
    endpoint: z.url({ protocol: /^https?$/ }).optional(),
    api: z.enum(apis).optional(),
    model: z.string().min(1).optional(),
    'key-env': z.string().min(1).optional(),
    tasks: z
      .string()
      .transform((text) => text.split(',').map((id) => id.trim()))
      .optional(),
    jobs: z.coerce.number().int().min(1).max(32).default(2),
    record: z.string().min(1).optional(),
    transcripts: z.string().min(1).optional(),
  })
  .refine(
    ({ endpoint, api, model }) =>
      [endpoint, api, model].every((each) => (each === undefined) === (endpoint === undefined)),
    {
      error: '--endpoint, --api and --model are given together',
    },
  )
export type Options = z.infer<typeof Options>

/** Invalid usage. The message says what is wrong and how to correct it. */
export class UsageError extends Error {}

/** Parses the command line. */
export function readOptions(args: string[]): Options {
  const names = ['endpoint', 'api', 'model', 'key-env', 'tasks', 'jobs', 'record', 'transcripts']
  try {
    const { values } = parseArgs({
      args,
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    })
    return Options.parse({ ...values })
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message
    throw new UsageError(`${problem}\n\n${usage}`)
  }
}
