/** The header that carries the key of the shell. */
export const withKey = '-H "Authorization: Bearer $LECTERN_KEY"'

/** The header of a JSON body. */
export const withJson = '-H "Content-Type: application/json"'
