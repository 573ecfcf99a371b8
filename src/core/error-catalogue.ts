import type { ErrorCode } from './errors.ts'

/** The cause of an error code and its remedy; the error's own message says what happened in this call. */
export interface ErrorGuidance {
  cause: string
  remedy: string
  /** Whether the same call may succeed later without changes. */
  retryable: boolean
}

const transient = (cause: string, remedy: string): ErrorGuidance => ({ cause, remedy, retryable: true })
const permanent = (cause: string, remedy: string): ErrorGuidance => ({ cause, remedy, retryable: false })

const relayToUser = 'Tell the user the message word for word and stop.'
const askTeamAdmin = 'Ask an owner or an admin of the team.'

/** Cause and remedy of every error code; a new code does not compile without its entry. */
export const errorCatalogue: Record<ErrorCode, ErrorGuidance> = {
  UNAUTHENTICATED: permanent('The request has no valid credential.', 'Sign in, or send a valid API key.'),
  INSUFFICIENT_SCOPE: permanent(
    'The credential lacks a scope.',
    'Connect again and grant the named scope, or use an API key that has it.',
  ),
  ORIGIN_NOT_ALLOWED: permanent(
    'The request comes from an unknown origin.',
    'Ask the administrator to allow the origin.',
  ),
  RATE_LIMITED: transient('Too many calls in a short time.', 'Wait retryAfterSeconds, then retry.'),
  INVALID_INPUT: permanent('A field is missing, unknown or invalid.', 'Correct the named field and call again.'),
  SHELF_PARAM_INVALID: permanent('The shelf is neither a slug nor an id.', 'Get it from list_shelves.'),
  PAYLOAD_TOO_LARGE: permanent('The request body is too large.', 'Send the first part, then append the rest.'),
  UNSUPPORTED_MEDIA_TYPE: permanent('The media type of the body is not supported.', 'Send the named media type.'),
  NOT_FOUND: permanent(
    'Not found, or not yours.',
    'Take ids, pages and versions from answers, such as those of list_items and search_items; do not guess them.',
  ),
  METHOD_NOT_ALLOWED: permanent('The URL does not support this method.', 'Use a method from the Allow header.'),
  FORBIDDEN: permanent('You do not own this, or nobody can change it.', 'Ask its owner; do not retry.'),
  CONFLICT: permanent('The current state does not allow this call.', 'Read the current state first.'),
  VERSION_CONFLICT: permanent(
    'The book changed since you read it.',
    'Read it again with get_item_content, redo the edit and send the new version as expectedVersion.',
  ),
  ITEM_NOT_EDITABLE: permanent('Only Markdown books can be edited.', 'Create a new book with create_markdown_item.'),
  IDEMPOTENCY_KEY_REUSED: permanent('The key belongs to an earlier, different request.', 'Use a new key.'),
  PLAN_LIMIT_EXCEEDED: permanent('The library or its storage is full on this plan.', relayToUser),
  ITEM_LOCKED: permanent('The plan is full and this book is not one of the usable books.', relayToUser),
  PUBLISH_NOT_ALLOWED: permanent('The plan does not include publishing.', relayToUser),
  READ_LIMIT_EXCEEDED: permanent('All reads of the month are used.', relayToUser),
  UNKNOWN_AGENT: permanent('The coding agent is unknown.', 'Use a name from the list in the message.'),
  SHELF_NAME_INVALID: permanent('The shelf name has no letter or digit.', 'Choose another name.'),
  SHELF_NAME_TAKEN: permanent('Another shelf has this name, ignoring case.', 'Use that shelf or choose another name.'),
  SHELF_LIMIT_EXCEEDED: permanent(
    'The plan allows no more shelves.',
    'Ask the user to delete a shelf, or use an existing one.',
  ),
  SHELF_NOT_FOUND: permanent('Shelf not found, or not yours.', 'Get its id or slug from list_shelves.'),
  KEY_LIMIT_EXCEEDED: permanent(
    'The account already has the maximum number of API keys.',
    'Revoke one, then try again.',
  ),
  BATCH_TOO_LARGE: permanent('The request has too many items.', 'Split it into several calls.'),
  QUERY_TOO_LONG: permanent('The ids are too long for a URL.', 'Split them into several calls.'),
  MANUSCRIPT_LIMIT_EXCEEDED: permanent(
    'Active manuscripts use all manuscript slots of the plan, or there are too many archived ones.',
    relayToUser,
  ),
  MANUSCRIPT_ITEM_CONFLICT: permanent('The book already has an active manuscript.', 'Use existingManuscriptId.'),
  NOT_TEAM_MEMBER: permanent('You are not a member of that team.', 'Omit teamId, or ask for an invitation.'),
  NOT_A_TEAM_MEMBER: permanent('You are not a member of that team.', 'Ask for an invitation.'),
  FORBIDDEN_ROLE: permanent('Your role in the team does not allow this.', askTeamAdmin),
  DEPARTMENT_NOT_FOUND: permanent('The team has no such department.', 'Get its slug from the list of departments.'),
  DEPARTMENT_SLUG_TAKEN: permanent('Another department has this slug.', 'Choose another name.'),
  MEMBER_NOT_FOUND: permanent('No team member has this email address.', 'Invite the person first.'),
  CANNOT_REMOVE_SELF: permanent('You cannot remove yourself from a team.', 'Leave the team instead.'),
  ITEM_NOT_OWNED: permanent('Only the owner of a book can share it.', 'Ask its owner.'),
  TEAM_SUBSCRIPTION_REQUIRED: permanent('The team has no active subscription.', askTeamAdmin),
  TEAM_ITEM_NOT_FOUND: permanent('The book is not shared with the team.', 'Share it first.'),
  FORBIDDEN_REVOKE: permanent('You did not share this book.', askTeamAdmin),
  ITEM_NOT_FOUND: permanent('Book not found, or not yours.', 'Get the id of a book you own from list_items.'),
  TRANSIENT_CONFLICT: transient('Another call is changing the same data.', 'Wait retryAfterSeconds, then retry.'),
  UNAVAILABLE: transient('A part of the server is unavailable.', 'Wait retryAfterSeconds, then retry.'),
  STORAGE_FULL: permanent('The server has no space left.', 'Tell the user to contact the administrator.'),
}
