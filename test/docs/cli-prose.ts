/** Markdown of which both the page of the command line program and its manual page are made. */

/** What the commands print, as a list. */
export const outputNotes = `- What a script takes over is alone on stdout: an id, a key, a link, rows. Remarks, progress and refusals are on stderr.
- \`--json\` prints one JSON value in place of text for people, and no remarks. A refusal is then \`{"error": …, "code": …}\`.
- The exit status is 0 for success, 1 for a refusal or a failed check, 2 for wrong usage or configuration.
- \`--name value\` and \`--name=value\` are the same. In the usage lines below, \`[…]\` marks what may be left out.`

/** What the commands that use a server are. */
export const routeNote = `Each route that a key can call is a command, with the fields of the route as its options: \`lectern shelves add\` is
\`add_to_shelf\`. The first word is what the route is about, the second the tool's name without it.`

/** What holds for the commands that use a server, as a list whose points begin with their subject. */
export const clientNotes = `- **Server and key**: \`--url\` and \`--key\`, else the variables \`LECTERN_URL\` and \`LECTERN_KEY\`, else a profile. \`lectern login\` makes
  the profile \`default\`, with \`--profile\` another one; \`--profile\` chooses one. They are in \`lectern/profiles.json\` below
  \`$XDG_CONFIG_HOME\` or \`~/.config\`, for their owner only. The key of a profile goes to the server of that profile alone.
  With a key and nothing else, commands call \`http://localhost:3000\`.
- **Without a browser**: \`lectern login --key -\` asks for a key that was made elsewhere and does not show it;
  from a pipe, it reads a line. So do \`--key -\` of other commands and \`--password -\` of \`lectern upload\`.
- **Values**: ids and names stand behind the command without an option, or with it. A list is one value with commas, the option
  several times, or a JSON array. Objects are JSON. \`@FILE\` stands for the text of a file and \`-\` for that of stdin where a
  value is JSON or a long text; a text that begins with \`@\` has it twice. \`--no-NAME\` turns a switch off and empties a field.
- **Answers**: \`--json\` prints the body of the route as it is. Without it, pages are their text, lists are tables on a terminal and
  rows with tabs elsewhere, and all else is names and values. \`NO_COLOR\` turns off bold headings. A file goes to \`--output\`, else
  to stdout; on a terminal into the current folder under its own name.
- **Uploads**: Ctrl-C ends the waiting; what was sent becomes a book all the same.
- **Completion**: \`source <(lectern completion bash)\`, the same with zsh, or \`lectern completion fish | source\`.`

/** Where the commands of administrators find the data. */
export const administrationNote = `These commands read the same [environment variables](configuration.md) as the server, and work on the same data: beside a running
server, or without one. A server that runs as the same user on the same machine is found by itself, with its data folder and its
address; it notes down where it is in \`~/.local/state/lectern/servers\` (or below \`XDG_STATE_HOME\`). Otherwise set
\`LECTERN_DATA_DIR\`, or \`LECTERN_MONGODB_URL\` and the file settings, as the server has them. Where there is no library, a
command makes none and says so; only \`user create\` begins one, where a variable names the place or in the folder of the
installation. A relative \`--file\` or \`--data-dir\` starts where you stand, also below the folder of the installation.`
