/**
 * The topics of capabilities, in the order in which people get to know the product. Each is also a folder of `tools/`.
 */
export const toolGroups = {
  books: { title: 'Books', description: 'The books of a library: list, create, describe, delete and bring back.' },
  imports: {
    title: 'Uploads',
    description:
      'PDF, EPUB, Markdown, Word and other files become books: check, upload, confirm, and follow the import.',
  },
  reading: {
    title: 'Reading',
    description:
      'Tables of contents, pages, whole books and files. Every book that is opened counts as one read against the monthly limit.',
  },
  search: { title: 'Search', description: 'Find books and pages by their words. Searching costs no read.' },
  citations: { title: 'Citations', description: 'Check that quotes appear on the pages that they are cited from.' },
  writing: {
    title: 'Writing',
    description:
      'Change the text of Markdown books. Send the version that you read as expectedVersion; earlier versions can be restored.',
  },
  shelves: { title: 'Shelves', description: 'Named, ordered places for books. Addressed by id or slug.' },
  manuscripts: {
    title: 'Manuscripts',
    description: 'Markdown books that an agent keeps up to date from research sessions, with what belongs in them.',
  },
  marketplace: {
    title: 'Marketplace',
    description: 'Browse what others published, add it to the library, and publish books of your own.',
  },
  gaps: {
    title: 'Reader requests',
    description: 'What readers looked for and did not find: report it, and answer requests for books you own.',
  },
  research: {
    title: 'Research',
    description: 'Sessions that group the reads of one question, and the report of what reading came to.',
  },
  teams: { title: 'Teams', description: 'People who read together: members, departments and shared books.' },
  account: { title: 'Account', description: 'Who is calling, the limits of the plan, and API keys.' },
  settings: { title: 'Settings', description: 'Settings of coding agents, and the machines that they run on.' },
  notifications: { title: 'Notifications', description: 'List notifications and mark them as read.' },
  support: { title: 'Support', description: 'Reports to the administrators of the server.' },
} as const satisfies Record<string, { title: string; description: string }>

export type ToolGroup = keyof typeof toolGroups
