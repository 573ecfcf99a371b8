/** Host names of this computer, as in the `hostname` of a URL. */
export const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
