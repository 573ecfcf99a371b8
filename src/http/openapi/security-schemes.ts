/** The credentials that operations accept. */
export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key. People make one on the page /keys; it has scopes, which operations name as `x-scope`.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lectern',
    description: 'A browser session; the cookie is `__Host-lectern` over https.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The CSRF token of the session, from the page /keys.',
  },
}
