import type { Declaration } from '../core/tool.ts'

const appInfo = {
  display_name: 'Lectern',
  subtitle: 'Read and cite your books',
  description:
    "Lectern hosts a person's library of books. It finds books and pages, reads them, answers with citations by page, and keeps shelves and the person's own Markdown books.",
  category: 'EDUCATION',
}

/** User prompts with the tools to call and the expected output. */
const testCases = [
  {
    description: "Find pages in the user's library and cite them.",
    user_prompt: 'What do my books say about retries and timeouts? Quote the pages.',
    tools_triggered: 'library_summary, search_items, read_items',
    expected_output: 'An answer from the pages read, with citations such as (Book Title, p. 12).',
  },
  {
    description: 'Find a chapter by the table of contents.',
    user_prompt: 'Summarise the chapter on consensus of my distributed systems book.',
    tools_triggered: 'search_items, get_table_of_contents, read_items',
    expected_output: 'A summary of that chapter only, with page numbers.',
  },
  {
    description: 'Create a book for the user and append to it.',
    user_prompt: 'Start a book called "Incident notes" with a chapter for today, then add a second chapter to it.',
    tools_triggered: 'create_markdown_item, append_item_pages',
    expected_output: 'A new book with two chapters. The answer names its title and page count.',
  },
  {
    description: 'Put books on a shelf.',
    user_prompt: 'Create a shelf "To read" and put my two newest books on it.',
    tools_triggered: 'list_items, create_shelf, add_to_shelf',
    expected_output: 'A new shelf with the two books on it.',
  },
  {
    description: 'Find a book that the library lacks.',
    user_prompt: 'Is there a published book on Rust that I could add to my library? Do not add it yet.',
    tools_triggered: 'browse_marketplace',
    expected_output: "Matching listings. Nothing is added without the user's consent.",
  },
]

const negativeTestCases = [
  {
    description: 'Knowledge that needs no book.',
    user_prompt: 'What is the capital of France?',
    expected_output: 'An answer without calling the app.',
  },
  {
    description: 'A related task that the app does not support.',
    user_prompt: 'Order a paper copy of The Art of Computer Programming for me.',
    expected_output: 'The app is not called: it does not sell or order books.',
  },
  {
    description: 'Files outside the library.',
    user_prompt: 'Summarise the PDF that I have just attached to this chat.',
    expected_output: 'The app is not called: it reads only books of the library.',
  },
]

/** Builds the submission for ChatGPT's app directory (chatgpt-app-submission.json, version 1) from the declarations. */
export function buildSubmission(tools: readonly Declaration[]) {
  return {
    $schema: 'https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json',
    schema_version: 1,
    app_info: appInfo,
    tools: Object.fromEntries(mcpTools(tools).map((tool) => [tool.name, toToolEntry(tool)])),
    test_cases: testCases.map(toTestCase),
    negative_test_cases: negativeTestCases.map((it) => toTestCase({ ...it, tools_triggered: null })),
  }
}

const hintCell = (hint: boolean, reason: string) => `${hint ? 'yes' : 'no'}: ${reason}`

/** A Markdown table of every tool's hints with their justifications, for directories that require text. */
export function hintTable(tools: readonly Declaration[]): string {
  const headers = ['tool', 'read-only', 'destructive', 'idempotent', 'open world']
  const rows = mcpTools(tools).map((tool) => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations
    const { effect, destruction, repeat, openWorld } = justificationsOf(tool)
    return [
      `\`${tool.name}\``,
      hintCell(readOnlyHint, effect),
      hintCell(destructiveHint, destruction),
      hintCell(idempotentHint, repeat),
      hintCell(openWorldHint, openWorld),
    ]
  })
  return [headers, headers.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function mcpTools(tools: readonly Declaration[]): Declaration[] {
  return tools.filter(({ mcp }) => mcp !== false)
}

function toTestCase<T extends object>(it: T) {
  return { ...it, file_attachment_urls: null, expected_output_url: null }
}

function toToolEntry(tool: Declaration) {
  const { readOnlyHint, openWorldHint, destructiveHint } = tool.annotations
  const { effect, destruction, openWorld } = justificationsOf(tool)
  return {
    annotations: { readOnlyHint, openWorldHint, destructiveHint },
    justifications: {
      read_only_justification: effect,
      open_world_justification: openWorld,
      destructive_justification: destruction,
    },
  }
}

/** One sentence for each hint. */
function justificationsOf({ annotations, justification }: Declaration) {
  const effect = justification?.effect ?? 'Returns data and changes nothing.'
  return {
    effect,
    destruction: annotations.readOnlyHint ? 'Deletes and overwrites nothing.' : effect,
    repeat: justification?.repeat ?? 'Repeating the call returns the same result unless the library changes.',
    openWorld: annotations.openWorldHint
      ? 'Contacts no other system; its answers quote what other accounts of this server have written.'
      : 'Uses only the library on this server and no other system.',
  }
}
