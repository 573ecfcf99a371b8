/** What a catalogue says of a book and has no field of its own: lines at the end of the description. */
export interface Facts {
  series: { name: string; position: number | null } | null
  tags: readonly string[]
  /** Tags of BCP 47, if there are several. */
  languages: readonly string[]
  /** An ISO 8601 date. */
  published: string | null
  /** By kind, such as `doi:10.1000/1`. */
  identifiers: readonly string[]
}

/** The names of the lines, in their order. */
const names = ['Series', 'Tags', 'Languages', 'Published', 'Identifiers'] as const

const line = /^(Series|Tags|Languages|Published|Identifiers): (.+)$/

/** Facts as lines, `Series: Foundation, 2`; what is not known has none. */
export function writeFacts({ series, tags, languages, published, identifiers }: Facts): string[] {
  const position = series?.position ?? null
  const values = {
    Series: series === null ? '' : `${series.name}${position === null ? '' : `, ${position}`}`,
    Tags: join(tags),
    Languages: join(languages),
    Published: published ?? '',
    Identifiers: join(identifiers),
  }
  return names.flatMap((name) => (values[name] === '' ? [] : [`${name}: ${values[name]}`]))
}

/** A comma inside of a text has no space behind it, which tells it from the next text. */
function join(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll(/,\s+/g, ',')).join(', ')
}

/** The facts at the end of a description, if its last paragraph has nothing else, and the text before them. */
export function readFacts(description: string): { text: string; facts: Facts } {
  const facts: Facts = { series: null, tags: [], languages: [], published: null, identifiers: [] }
  const from = description.lastIndexOf('\n\n') + 1
  const lines = description
    .slice(from)
    .trim()
    .split('\n')
    .map((text) => line.exec(text))
  if (!lines.every((found) => found !== null)) return { text: description, facts }
  const found = new Map(lines.map(([, name = '', value = '']) => [name, value]))
  const list = (name: (typeof names)[number]) => found.get(name)?.split(', ') ?? []
  const series = found.get('Series')
  return {
    text: description.slice(0, from).trim(),
    facts: {
      series: series === undefined ? null : readSeries(series),
      tags: list('Tags'),
      languages: list('Languages'),
      published: found.get('Published') ?? null,
      identifiers: list('Identifiers'),
    },
  }
}

function readSeries(text: string): Facts['series'] {
  const [, name, position] = /^(.+), (\d+(?:\.\d+)?)$/.exec(text) ?? []
  return name === undefined ? { name: text, position: null } : { name, position: Number(position) }
}
