import type { HtmlEscapedString } from 'hono/utils/html'

/** Escaped HTML. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>
