import { resolve, type ApiDocument, type Schema } from './api-document.ts'

/** A field of an object, resolved. */
export interface Field {
  name: string
  schema: Schema
  required: boolean
}

/** A resolved schema with its `allOf` parts merged. */
function wholeSchema(document: ApiDocument, schema: Schema): Schema {
  const resolved = resolve<Schema>(document, schema)
  if (!resolved.allOf) return resolved
  const { allOf, ...rest } = resolved
  return [...allOf, rest]
    .map((part) => wholeSchema(document, part))
    .reduce((all, part) => ({
      ...all,
      ...part,
      properties: { ...all.properties, ...part.properties },
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }))
}

/** The alternatives of a value, without null. */
export function formsOf(document: ApiDocument, schema: Schema): Schema[] {
  const whole = wholeSchema(document, schema)
  // `anyOf` next to properties defines valid combinations of fields instead of alternatives.
  const forms = whole.properties ? undefined : (whole.anyOf ?? whole.oneOf)
  if (!forms) return whole.type === 'null' ? [] : [whole]
  return forms.flatMap((form) => formsOf(document, form))
}

/** The fields of an object, or of the objects in an array; merged over all alternatives. */
export function fieldsOf(document: ApiDocument, schema: Schema): Field[] {
  const forms = formsOf(document, schema).map((form) => (form.items ? { entries: form.items } : { object: form }))
  const fields = new Map<string, Field>()
  for (const { entries, object } of forms) {
    const found = entries ? fieldsOf(document, entries) : objectFields(object ?? {})
    for (const field of found) if (!fields.has(field.name)) fields.set(field.name, field)
  }
  return [...fields.values()]
}

function objectFields({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

/** The names of the components on the path to the fields of a schema, for detecting recursion. */
export function componentsOf(document: ApiDocument, schema: Schema): string[] {
  const { $ref, items, anyOf, oneOf } = schema
  const inner = [...(items ? [items] : []), ...(anyOf ?? []), ...(oneOf ?? [])]
  const resolved = $ref === undefined ? [] : [$ref, ...componentsOf(document, { ...resolve(document, schema) })]
  return [...resolved, ...inner.flatMap((part) => componentsOf(document, part))]
}

/** The type of a value in words, such as "array of strings or null". */
export function typeWords(document: ApiDocument, schema: Schema): string {
  const forms = [...new Set(formsOf(document, schema).map((form) => oneType(document, form)))]
  const words = forms.length === 0 ? 'null' : forms.join(' or ')
  return isNullable(document, schema) && words !== 'null' ? `${words} or null` : words
}

function oneType(document: ApiDocument, schema: Schema): string {
  if (schema.items) return `array of ${plural(typeWords(document, schema.items))}`
  const format = formats.get(schema.format ?? '')
  if (format) return format
  const types = [schema.type ?? typeOfValue(schema.const ?? schema.enum?.[0])].flat().filter((type) => type !== 'null')
  return types.length === 0 ? 'any value' : types.join(' or ')
}

const formats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'date-time': 'time (ISO 8601)',
    date: 'date (YYYY-MM-DD)',
    email: 'email address',
    uri: 'URL',
  }),
)

function typeOfValue(value: unknown): string {
  return value === undefined ? 'any value' : typeof value
}

function plural(type: string): string {
  return /^(?:string|number|integer|boolean|object|URL)$/.test(type) ? `${type}s` : type
}

function isNullable(document: ApiDocument, schema: Schema): boolean {
  const whole = wholeSchema(document, schema)
  if (whole.type !== undefined) return [whole.type].flat().includes('null')
  return [...(whole.anyOf ?? []), ...(whole.oneOf ?? [])].some((form) => isNullable(document, form))
}

/** The allowed values of a schema, if it lists them. */
export function valuesOf(document: ApiDocument, schema: Schema): unknown[] {
  return formsOf(document, schema).flatMap((form) => {
    if (form.items) return valuesOf(document, form.items)
    return (form.const === undefined ? (form.enum ?? []) : [form.const]).filter((value) => value !== null)
  })
}

/** The constraints of a schema other than its type, in words; empty if there are none. */
export function boundWords(document: ApiDocument, schema: Schema): string[] {
  return formsOf(document, schema).flatMap((form) => [
    ...span(form.minLength, form.maxLength, 'character'),
    ...span(form.minItems, form.maxItems, form.items ? 'entr' : ''),
    ...span(sizeable(form.minimum), sizeable(form.maximum), ''),
    ...(form.default === undefined || form.default === null ? [] : [`default ${JSON.stringify(form.default)}`]),
  ])
}

/** The regular expression that a text must match, if any. */
export function patternOf(document: ApiDocument, schema: Schema): string | undefined {
  return formsOf(document, schema).find(({ pattern, format }) => pattern !== undefined && !formats.get(format ?? ''))
    ?.pattern
}

/** Omits the bounds of safe integers. */
function sizeable(bound: number | undefined): number | undefined {
  return bound !== undefined && Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound
}

function span(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from !== undefined && to !== undefined && from !== to)
    return [`${from.toLocaleString('en')} to ${counted(to, unit)}`]
  if (from !== undefined && from === to) return [counted(to, unit)]
  if (to !== undefined) return [`at most ${counted(to, unit)}`]
  if (from === undefined || (from === 0 && unit !== '')) return []
  return [`at least ${counted(from, unit)}`]
}

function counted(value: number, unit: string): string {
  const number = value.toLocaleString('en')
  return unit === '' ? number : `${number} ${unitOf(unit, value)}`
}

function unitOf(unit: string, value: number): string {
  if (unit === 'entr') return value === 1 ? 'entry' : 'entries'
  return value === 1 ? unit : `${unit}s`
}
