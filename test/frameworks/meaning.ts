/** JSON Schema, or the form of it that Gemini's API accepts. */
export type Schema = Record<string, any>

/**
 * The meaning of a schema for a model, in one form for all converters. Bounds are hints, and not every API has them.
 */
export interface Meaning {
  type: string
  nullable: boolean
  description: string | null
  values: string[] | null
  entries: Meaning | null
  fields: Record<string, Meaning>
  required: string[]
}

export function meaningOf(schema: Schema): Meaning {
  const { anyOf, any_of, ...rest } = schema
  const options: Schema[] = anyOf ?? any_of ?? []
  const isNull = (option: Schema) => String(option['type']).toLowerCase() === 'null'
  if (options.length > 0) {
    const others = options.filter((option) => !isNull(option))
    if (others.length !== 1) throw new Error(`${others.length} alternatives: ${JSON.stringify(schema)}`)
    return { ...meaningOf({ ...others[0], ...rest }), nullable: options.some(isNull) }
  }
  const { type, nullable, description, enum: values, items, properties, required } = schema
  if (Array.isArray(type)) throw new Error(`a list of types: ${JSON.stringify(schema)}`)
  return {
    // Anthropic's converter omits the type of listed values.
    type: String(type ?? (values ? 'string' : 'object')).toLowerCase(),
    nullable: nullable === true,
    description: description ?? null,
    values: values ?? null,
    entries: items ? meaningOf(items) : null,
    fields: Object.fromEntries(
      Object.entries<Schema>(properties ?? {}).map(([name, property]) => [name, meaningOf(property)]),
    ),
    required: [...(required ?? [])].sort(),
  }
}

/** The losses of a conversion, each with its path. */
export function findLosses(listed: Meaning, shown: Meaning, at = ''): string[] {
  const losses = []
  if (shown.type !== listed.type) losses.push(`${at}: the type ${listed.type} became ${shown.type}`)
  if (listed.nullable && !shown.nullable) losses.push(`${at}: null`)
  // Some converters append the bounds to the description.
  if (listed.description !== null && !shown.description?.startsWith(listed.description))
    losses.push(`${at}: the description`)
  if (listed.values !== null && String(shown.values) !== String(listed.values)) losses.push(`${at}: the values`)
  const isStrict = shown.required.length === Object.keys(shown.fields).length
  if (!isStrict && String(shown.required) !== String(listed.required)) losses.push(`${at}: what is required`)
  if (listed.entries)
    losses.push(...(shown.entries ? findLosses(listed.entries, shown.entries, `${at}[]`) : [`${at}: the entries`]))
  for (const [name, field] of Object.entries(listed.fields)) {
    const converted = shown.fields[name]
    losses.push(...(converted ? findLosses(field, converted, `${at}.${name}`) : [`${at}.${name}: the argument`]))
  }
  return losses
}
