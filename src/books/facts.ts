/** Catalogue metadata without a field of its own, stored as lines at the end of the description. */
export interface Facts {
  series: { name: string; position: number | null } | null
  tags: readonly string[]
  /** BCP 47 tags, if there are several. */
  languages: readonly string[]
  /** An ISO 8601 date. */
  published: string | null
  /** With their kinds, such as `doi:10.1000/1`. */
  identifiers: readonly string[]
}

/** The labels of the lines, in order. */
const names = ['Series', 'Tags', 'Languages', 'Published', 'Identifiers'] as const

const line = /^(Series|Tags|Languages|Published|Identifiers): (.+)$/

/** Formats facts as lines, such as `Series: Foundation, 2`; unknown facts have no line. */
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

/**
 * Joins texts with a comma and a space. Commas inside a text are written without a following space, which tells them
 * apart.
 */
function join(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll(/,\s+/g, ',')).join(', ')
}

/** Splits a description into its text and the facts in its last paragraph, if that contains nothing else. */
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
