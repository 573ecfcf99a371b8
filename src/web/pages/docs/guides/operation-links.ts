import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import { operationPath, type ApiReference, type Operation } from '../reference/read-reference.ts'

/** A link to the description of an operation, with its title. */
export function operationLink(reference: ApiReference, { id, title }: Pick<Operation, 'id' | 'title'>): Html {
  return html`<a href="${operationPath(reference, id)}">${title}</a>`
}

/** A list of links to operations. */
export function operationLinks(reference: ApiReference, operations: readonly Operation[]): Html {
  return html`<ul class="operation-links">
    ${operations.map((operation) => html`<li>${operationLink(reference, operation)}</li>`)}
  </ul>`
}

/** The operations of all groups. */
export function allOperations({ groups }: ApiReference): Operation[] {
  return groups.flatMap(({ operations }) => operations)
}
