import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import type { ApiDocument, DescribedParameter, Schema } from '../reference/api-document.ts'
import { prose } from './prose.ts'
import {
  boundWords,
  componentsOf,
  fieldsOf,
  patternOf,
  typeWords,
  valuesOf,
  type Field,
} from '../reference/schema-words.ts'

/**
 * The fields of a body with their types, bounds and descriptions; nested objects are collapsed. Empty if there are no
 * fields.
 */
export function fieldList(document: ApiDocument, schema: Schema, isAnswer = false): Html | '' {
  return listOf(fieldsOf(document, schema), { document, isAnswer, path: componentsOf(document, schema) })
}

/** Parameters, in the same form as fields. */
export function parameterList(document: ApiDocument, parameters: readonly DescribedParameter[]): Html | '' {
  const fields = parameters.map(({ name, required = false, description, schema = {} }) => ({
    name,
    required,
    schema: description === undefined ? schema : { ...schema, description },
  }))
  return listOf(fields, { document, isAnswer: false, path: [] })
}

interface Place {
  document: ApiDocument
  /** Fields of answers are not marked as required, because nearly all of them are. */
  isAnswer: boolean
  /** The components on the path to this schema: recursive references are not expanded again. */
  path: readonly string[]
}

function listOf(fields: readonly Field[], place: Place): Html | '' {
  if (fields.length === 0) return ''
  return html`<ul class="field-list">
    ${fields.map((field) => fieldRow(field, place))}
  </ul>`
}

function fieldRow({ name, schema, required }: Field, { document, isAnswer, path }: Place): Html {
  const own = componentsOf(document, schema)
  const isRecursive = own.some((component) => path.includes(component))
  const inner = isRecursive ? [] : fieldsOf(document, schema)
  const values = valuesOf(document, schema)
  const bounds = boundWords(document, schema)
  const pattern = patternOf(document, schema)
  const marks = isAnswer ? (required ? '' : mark('optional', 'sometimes')) : required ? mark('needed', 'required') : ''
  return html`<li>
    <p class="field-head">
      <code>${name}</code> <span class="field-type">${typeWords(document, schema)}</span>${marks}
    </p>
    ${schema.description === undefined ? '' : html`<p>${prose(schema.description)}</p>`}
    ${
      values.length === 0
        ? ''
        : html`<p class="field-values">
            ${values.length === 1 ? 'Always' : 'One of'} ${values.map((value) => html`<code>${String(value)}</code> `)}
          </p>`
    }
    ${bounds.length === 0 ? '' : html`<p class="field-bounds">${sentence(bounds.join(', '))}</p>`}
    ${pattern === undefined ? '' : html`<p class="field-bounds">Matches <code>${pattern}</code></p>`}
    ${isRecursive ? html`<p class="field-bounds">Has the same fields as this object.</p>` : ''}
    ${
      inner.length === 0
        ? ''
        : html`<details>
            <summary>${inner.length === 1 ? 'Its field' : `Its ${inner.length} fields`}</summary>
            ${listOf(inner, { document, isAnswer, path: [...path, ...own] })}
          </details>`
    }
  </li>`
}

function mark(className: string, word: string): Html {
  return html` <span class="field-mark ${className}">${word}</span>`
}

function sentence(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}.`
}
