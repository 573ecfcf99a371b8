/** The header with the key from the shell's environment. */
export const withKey = '-H "Authorization: Bearer $LECTERN_KEY"'

/** The header of a JSON body. */
export const withJson = '-H "Content-Type: application/json"'
