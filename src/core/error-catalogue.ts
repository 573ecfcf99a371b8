import type { ErrorCode } from './errors.ts'

/** What a refusal means to whoever meets it; its message says what happened. */
export interface ErrorGuidance {
  cause: string
  remedy: string
  /** Whether the same call may pass later, unchanged. */
  retryable: boolean
}

const transient = (cause: string, remedy: string): ErrorGuidance => ({ cause, remedy, retryable: true })
const permanent = (cause: string, remedy: string): ErrorGuidance => ({ cause, remedy, retryable: false })

const relayToUser = 'Tell the user the message word for word and stop.'
const askTeamAdmin = 'Ask an owner or an admin of the team.'

/** Why each refusal comes and what to do next; a new code does not compile without its row. */
export const errorCatalogue: Record<ErrorCode, ErrorGuidance> = {
  UNAUTHENTICATED: permanent('The request carries no credential that counts.', 'Sign in, or send a valid API key.'),
  INSUFFICIENT_SCOPE: permanent('The credential lacks a permission.', 'Connect again and allow the named scope.'),
  ORIGIN_NOT_ALLOWED: permanent('The page that calls is not of a known origin.', 'Ask the administrator to allow it.'),
  RATE_LIMITED: transient('Too many calls within a minute.', 'Wait retryAfterSeconds, then repeat the call.'),
  INVALID_INPUT: permanent('A field is missing, unknown or out of bounds.', 'Correct the named field and call again.'),
  SHELF_PARAM_INVALID: permanent('The shelf is no slug and no id.', 'Take it from list_shelves.'),
  PAYLOAD_TOO_LARGE: permanent('One request carries too much.', 'Send a first part, then append the rest.'),
  UNSUPPORTED_MEDIA_TYPE: permanent('The body is of another type than the one asked for.', 'Send the named type.'),
  NOT_FOUND: permanent(
    'There is no such thing, or it belongs to somebody else.',
    'Take ids from list_items, search_items or the list call of their kind; do not guess them.',
  ),
  METHOD_NOT_ALLOWED: permanent('The address does not take this method.', 'Use a method of the Allow header.'),
  FORBIDDEN: permanent(
    'Others own this, or it cannot be changed by anybody.',
    'Ask its owner; do not repeat the call.',
  ),
  CONFLICT: permanent('Things are not in the state that this call starts from.', 'Read the present state first.'),
  VERSION_CONFLICT: permanent(
    'Somebody has changed the book since it was read.',
    'Read it again with get_item_content, redo the edit and send the new version as expectedVersion.',
  ),
  ITEM_NOT_EDITABLE: permanent(
    'Only books made from Markdown can be written.',
    'Write a new book with create_markdown_item.',
  ),
  IDEMPOTENCY_KEY_REUSED: permanent('The key stands for an earlier, different request.', 'Use a new key.'),
  PLAN_LIMIT_EXCEEDED: permanent('The plan holds no more books.', relayToUser),
  ITEM_LOCKED: permanent('The plan is full and this book is not among the picked ones.', relayToUser),
  PUBLISH_NOT_ALLOWED: permanent('The plan does not publish.', relayToUser),
  READ_LIMIT_EXCEEDED: permanent('The reads of the month are used up.', relayToUser),
  UNKNOWN_AGENT: permanent('The coding agent is not a known one.', 'Use a name of the list in the message.'),
  SHELF_NAME_INVALID: permanent('A shelf name needs a letter or a digit.', 'Choose another name.'),
  SHELF_NAME_TAKEN: permanent('Another shelf has this name, in capitals or not.', 'Use that shelf, or another name.'),
  SHELF_LIMIT_EXCEEDED: permanent(
    'The plan holds no more shelves.',
    'Delete one with the user, or use one that is there.',
  ),
  SHELF_NOT_FOUND: permanent(
    'There is no such shelf, or it is of somebody else.',
    'Take its id or slug from list_shelves.',
  ),
  BATCH_TOO_LARGE: permanent('One request names too many things.', 'Split it into several calls.'),
  QUERY_TOO_LONG: permanent('The ids do not fit into an address.', 'Split them into several calls.'),
  MANUSCRIPT_LIMIT_EXCEEDED: permanent('Active manuscripts use all slots of the plan.', relayToUser),
  MANUSCRIPT_ITEM_CONFLICT: permanent('The book has an active manuscript.', 'Use existingManuscriptId.'),
  NOT_TEAM_MEMBER: permanent('The account is not in that team.', 'Leave teamId out, or ask to be invited.'),
  NOT_A_TEAM_MEMBER: permanent('The account is not in that team.', 'Ask to be invited.'),
  FORBIDDEN_ROLE: permanent('The role in the team does not allow this.', askTeamAdmin),
  DEPARTMENT_NOT_FOUND: permanent('The team has no such department.', 'Take its slug from the list of departments.'),
  DEPARTMENT_SLUG_TAKEN: permanent('Another department has this slug.', 'Choose another name.'),
  MEMBER_NOT_FOUND: permanent('Nobody in the team has this address.', 'Invite them first.'),
  CANNOT_REMOVE_SELF: permanent('Nobody removes themselves from a team this way.', 'Leave the team instead.'),
  ITEM_NOT_OWNED: permanent('Only the owner of a book shares it.', 'Ask its owner.'),
  TEAM_SUBSCRIPTION_REQUIRED: permanent('The team has no active subscription.', askTeamAdmin),
  TEAM_ITEM_NOT_FOUND: permanent('The book is not shared with the team.', 'Share it first.'),
  FORBIDDEN_REVOKE: permanent('Others shared this book.', askTeamAdmin),
  ITEM_NOT_FOUND: permanent('There is no such own book.', 'Take the id of an own book from list_items.'),
  TRANSIENT_CONFLICT: transient(
    'Another call is changing the same thing.',
    'Wait retryAfterSeconds, then repeat the call.',
  ),
  UNAVAILABLE: transient('A part of the server is out of reach.', 'Wait retryAfterSeconds, then repeat the call.'),
  STORAGE_FULL: permanent('The server has no room for files.', 'Tell the user to ask the administrator.'),
}
