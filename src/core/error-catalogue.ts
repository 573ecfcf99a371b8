import type { ErrorCode } from './errors.ts'

/** What a refusal means to whoever meets it; its message says what happened. */
export interface Lesson {
  why: string
  next: string
  /** Whether the same call may pass later, unchanged. */
  retryable: boolean
}

const later = (why: string, next: string): Lesson => ({ why, next, retryable: true })
const changed = (why: string, next: string): Lesson => ({ why, next, retryable: false })

const tellUser = 'Tell the user the message word for word and stop.'
const askTeam = 'Ask an owner or an admin of the team.'

/** Why each refusal comes and what to do next; a new code does not compile without its row. */
export const errorCatalogue: Record<ErrorCode, Lesson> = {
  UNAUTHENTICATED: changed('The request carries no credential that counts.', 'Sign in, or send a valid API key.'),
  INSUFFICIENT_SCOPE: changed('The credential lacks a permission.', 'Connect again and allow the named scope.'),
  ORIGIN_NOT_ALLOWED: changed('The page that calls is not of a known origin.', 'Ask the administrator to allow it.'),
  RATE_LIMITED: later('Too many calls within a minute.', 'Wait retryAfterSeconds, then repeat the call.'),
  INVALID_INPUT: changed('A field is missing, unknown or out of bounds.', 'Correct the named field and call again.'),
  SHELF_PARAM_INVALID: changed('The shelf is no slug and no id.', 'Take it from list_shelves.'),
  PAYLOAD_TOO_LARGE: changed('One request carries too much.', 'Send a first part, then append the rest.'),
  UNSUPPORTED_MEDIA_TYPE: changed('The body is of another type than the one asked for.', 'Send the named type.'),
  NOT_FOUND: changed(
    'There is no such thing, or it belongs to somebody else.',
    'Take ids from list_items, search_items or the list call of their kind; do not guess them.',
  ),
  METHOD_NOT_ALLOWED: changed('The address does not take this method.', 'Use a method of the Allow header.'),
  FORBIDDEN: changed('Others own this, or it cannot be changed by anybody.', 'Ask its owner; do not repeat the call.'),
  CONFLICT: changed('Things are not in the state that this call starts from.', 'Read the present state first.'),
  VERSION_CONFLICT: changed(
    'Somebody has changed the book since it was read.',
    'Read it again with get_item_content, redo the edit and send the new version as expectedVersion.',
  ),
  ITEM_NOT_EDITABLE: changed(
    'Only books made from Markdown can be written.',
    'Write a new book with create_markdown_item.',
  ),
  IDEMPOTENCY_KEY_REUSED: changed('The key stands for an earlier, different request.', 'Use a new key.'),
  PLAN_LIMIT_EXCEEDED: changed('The plan holds no more books.', tellUser),
  ITEM_LOCKED: changed('The plan is full and this book is not among the picked ones.', tellUser),
  PUBLISH_NOT_ALLOWED: changed('The plan does not publish.', tellUser),
  READ_LIMIT_EXCEEDED: changed('The reads of the month are used up.', tellUser),
  UNKNOWN_AGENT: changed('The coding agent is not a known one.', 'Use a name of the list in the message.'),
  SHELF_NAME_INVALID: changed('A shelf name needs a letter or a digit.', 'Choose another name.'),
  SHELF_NAME_TAKEN: changed('Another shelf has this name, in capitals or not.', 'Use that shelf, or another name.'),
  SHELF_LIMIT_EXCEEDED: changed(
    'The plan holds no more shelves.',
    'Delete one with the user, or use one that is there.',
  ),
  SHELF_NOT_FOUND: changed(
    'There is no such shelf, or it is of somebody else.',
    'Take its id or slug from list_shelves.',
  ),
  BATCH_TOO_LARGE: changed('One request names too many things.', 'Split it into several calls.'),
  QUERY_TOO_LONG: changed('The ids do not fit into an address.', 'Split them into several calls.'),
  MANUSCRIPT_LIMIT_EXCEEDED: changed('Active manuscripts use all slots of the plan.', tellUser),
  MANUSCRIPT_ITEM_CONFLICT: changed('The book has an active manuscript.', 'Use existingManuscriptId.'),
  NOT_TEAM_MEMBER: changed('The account is not in that team.', 'Leave teamId out, or ask to be invited.'),
  NOT_A_TEAM_MEMBER: changed('The account is not in that team.', 'Ask to be invited.'),
  FORBIDDEN_ROLE: changed('The role in the team does not allow this.', askTeam),
  DEPARTMENT_NOT_FOUND: changed('The team has no such department.', 'Take its slug from the list of departments.'),
  DEPARTMENT_SLUG_TAKEN: changed('Another department has this slug.', 'Choose another name.'),
  MEMBER_NOT_FOUND: changed('Nobody in the team has this address.', 'Invite them first.'),
  CANNOT_REMOVE_SELF: changed('Nobody removes themselves from a team this way.', 'Leave the team instead.'),
  ITEM_NOT_OWNED: changed('Only the owner of a book shares it.', 'Ask its owner.'),
  TEAM_SUBSCRIPTION_REQUIRED: changed('The team has no active subscription.', askTeam),
  TEAM_ITEM_NOT_FOUND: changed('The book is not shared with the team.', 'Share it first.'),
  FORBIDDEN_REVOKE: changed('Others shared this book.', askTeam),
  ITEM_NOT_FOUND: changed('There is no such own book.', 'Take the id of an own book from list_items.'),
  TRANSIENT_CONFLICT: later(
    'Another call is changing the same thing.',
    'Wait retryAfterSeconds, then repeat the call.',
  ),
  UNAVAILABLE: later('A part of the server is out of reach.', 'Wait retryAfterSeconds, then repeat the call.'),
  STORAGE_FULL: changed('The server has no room for files.', 'Tell the user to ask the administrator.'),
}
