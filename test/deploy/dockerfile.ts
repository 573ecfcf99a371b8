/** One instruction of a Dockerfile, such as `COPY`, with its arguments. */
export interface Instruction {
  name: string
  text: string
}

export interface Stage {
  /** The base image. */
  from: string
  /** The name by which other stages refer to it; empty if it has none. */
  name: string
  instructions: Instruction[]
}

/** Returns the stages of a Dockerfile, without comments, with continuation lines joined. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
    if (name === 'FROM') {
      const [from = '', , stage = ''] = rest.split(/\s+/)
      stages.push({ from, name: stage, instructions: [] })
    } else stages.at(-1)?.instructions.push({ name, text: rest })
  }
  return stages
}

/** Returns the values of an instruction in a stage, in order. */
export function valuesOf({ instructions }: Stage, name: string): string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text)
}

/** Returns the variables that the `ENV` instructions of a stage set. */
export function environmentOf(stage: Stage): Record<string, string> {
  const pairs = valuesOf(stage, 'ENV').flatMap((text) => text.split(/\s+/))
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}
