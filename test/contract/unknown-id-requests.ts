/** A valid request with unknown ids, and its expected response. */
export interface UnknownIdRequest {
  /** Absent for a request without a body. */
  body?: Record<string, unknown>
  /** The query string, with its question mark. */
  query?: string
  status: number
  /** Null: the refusal has no code. Undefined: the request is not refused. */
  code?: string | null
}

const id = 'unknown'
const notFound = { status: 404, code: 'NOT_FOUND' }
const shelfNotFound = { status: 404, code: 'SHELF_NOT_FOUND' }
const notMember = { status: 403, code: 'NOT_A_TEAM_MEMBER' }
const ok = { status: 200 }

/** One request for each route of the contract whose path contains an id. */
export const unknownIdRequests: Record<string, UnknownIdRequest> = {
  'POST /api/v1/items/{itemId}/reprocess': notFound,
  'GET /api/v1/items/{itemId}/content': { status: 404, code: null },
  'PUT /api/v1/items/{itemId}/content': { body: { content: '# One' }, ...notFound },
  'PUT /api/v1/items/{itemId}/pages/{pageNum}': { body: { content: '# One' }, ...notFound },
  'POST /api/v1/items/{itemId}/pages': { body: { content: '# One' }, ...notFound },
  'GET /api/v1/items/{itemId}/versions': notFound,
  'POST /api/v1/items/{itemId}/versions': { body: { version: 1 }, ...notFound },
  'GET /api/v1/shelves/{id}': shelfNotFound,
  'PATCH /api/v1/shelves/{id}': { body: { name: 'Other' }, ...shelfNotFound },
  'DELETE /api/v1/shelves/{id}': shelfNotFound,
  'POST /api/v1/shelves/{id}/items': { body: { itemIds: [id] }, ...shelfNotFound },
  'DELETE /api/v1/shelves/{id}/items': { query: `?itemIds=${id}`, ...shelfNotFound },
  'PUT /api/v1/manuscripts/{id}': { body: { title: 'Other' }, ...notFound },
  'DELETE /api/v1/manuscripts/{id}': notFound,
  'GET /api/v1/teams/{teamId}/members': notMember,
  'POST /api/v1/teams/{teamId}/members': { body: { email: 'a@lectern.example' }, ...notMember },
  'DELETE /api/v1/teams/{teamId}/members': { body: { email: 'a@lectern.example' }, ...notMember },
  'GET /api/v1/teams/{teamId}/departments': notMember,
  'POST /api/v1/teams/{teamId}/departments': { body: { name: 'Other' }, ...notMember },
  'PATCH /api/v1/teams/{teamId}/departments/{dept}': { body: { name: 'Other' }, ...notMember },
  'DELETE /api/v1/teams/{teamId}/departments/{dept}': notMember,
  'GET /api/v1/teams/{teamId}/departments/{dept}/members': notMember,
  'POST /api/v1/teams/{teamId}/departments/{dept}/members': { body: { email: 'a@lectern.example' }, ...notMember },
  'DELETE /api/v1/teams/{teamId}/departments/{dept}/members': { body: { email: 'a@lectern.example' }, ...notMember },
  'GET /api/v1/teams/{teamId}/items': notMember,
  'POST /api/v1/teams/{teamId}/items': { body: { itemId: id }, ...notMember },
  'PATCH /api/v1/teams/{teamId}/items': { body: { itemId: id, accessLevel: 'READ' }, ...notMember },
  'DELETE /api/v1/teams/{teamId}/items': { body: { itemId: id }, ...notMember },
  'GET /api/v1/teams/{teamId}/access-report': notMember,
  'POST /api/v1/items/{itemId}/gaps': { body: { intent: 'How errors are handled', subcategory: 'errors' }, ...ok },
  'GET /api/v1/items/{itemId}/gaps': { status: 404, code: null },
  'POST /api/v1/items/{itemId}/gaps/fulfill': { body: { gapIds: [id] }, status: 404, code: null },
  'POST /api/v1/items/{itemId}/gaps/dismiss': { body: { gapIds: [id] }, status: 404, code: null },
  'POST /api/v1/items/{itemId}/gaps/restore': { body: { gapIds: [id] }, status: 404, code: null },
}
