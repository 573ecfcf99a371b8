/** The entry `README.txt`, which explains the archive to people without Lectern. */
export const readMe = `This is what a Lectern server has of one account.

books/            A folder for each book that the account owns:
  original/         the file that it came from, byte for byte
  text.md           its text, in Markdown
  figures/          its pictures, which text.md shows
  versions/         earlier texts of a book that was written on the server
  book.json         title, author, description, outline, versions and more
account.json      Name, address, plan, settings, teams
shelves.json      The shelves and the books on them
manuscripts.json  Books that an agent keeps up to date
research/         Sessions of research, the report of what was read, and where reading stopped
requests.json     What was asked of authors; suggestions.json: of the librarians
reports.json      Reports to the administrators
drafts.json       Text that was typed and not saved
subscriptions.json, listings.json   The marketplace
manifest.json     The list of all files with their SHA-256, and what is missing

Not in it: passwords, keys and tokens; books, names and words of other people; deleted books; notifications; the log of
the server.

lectern import-export FILE takes the books, shelves and manuscripts into an account again, on this or another server.
`
