/** Markdown that the page of the command line program and its manual page share. */

/** The conventions of the output of commands, as a list. */
export const outputNotes = `- stdout contains only what a script needs: an id, a key, a link, rows. Notices, progress and refusals go to stderr.
- \`--json\` prints one JSON value instead of text for people, and no notices. A refusal is then \`{"error": …, "code": …}\`.
- The exit status is 0 for success, 1 for a refusal, a failed check, or an answer without some of the books that were asked for, 2 for
  wrong usage or configuration.
- \`--name value\` and \`--name=value\` are the same. In the usage lines below, \`[…]\` marks optional parts.`

/** The description of the commands that use a server. */
export const routeNote = `Each route that accepts an API key is a command, with the fields of the route as its options: \`lectern shelves add\` calls
\`add_to_shelf\`. The first word names the topic of the route, the second is the tool's name without the topic.`

/** The rules for the commands that use a server, as a list whose items begin with their subject. */
export const clientNotes = `- **Server and key**: commands take them from \`--url\` and \`--key\`, then from the variables \`LECTERN_URL\` and \`LECTERN_KEY\`, then from a
  profile. \`lectern login\` creates the profile \`default\`, or another one with \`--profile\`; other commands choose a profile with \`--profile\`.
  Profiles are stored in \`lectern/profiles.json\` below \`$XDG_CONFIG_HOME\` or \`~/.config\`, readable by their owner only. The key of a
  profile is sent only to the server of that profile. With only a key, commands call the server
  that you run on this machine; if there is none or more than one, \`http://localhost:3000\`.
- **Without a browser**: \`lectern login --key -\` asks for an existing key and does not show it; from a pipe, it reads a line. \`--key -\` of other commands and \`--password -\` of
  \`lectern upload\` do the same.
- **Values**: give ids and names after the command, with or without their option. Give a list as one value with commas, by repeating the
  option, or as a JSON array. Give objects as JSON. If a value is JSON or a long text, \`@FILE\` means the text of a file and \`-\` the text
  from stdin; double the \`@\` of a text that begins with it. \`--no-NAME\` turns a switch off or empties a field.
- **Answers**: \`--json\` prints the body of the response unchanged. Without it, pages are printed as their text, lists as tables on a terminal and as rows
  with tabs elsewhere, and everything else as names and values. \`NO_COLOR\` turns off bold headings. A file goes to \`--output\`, otherwise to
  stdout, or on a terminal into the current folder under its own name.
- **Uploads**: Ctrl-C only stops waiting; the server still imports what was sent.
- **Completion**: \`source <(lectern completion bash)\`, the same with zsh, or \`lectern completion fish | source\`.`

/** Where the commands of administrators find the data. */
export const administrationNote = `These commands read the same [environment variables](configuration.md) as the server, and work on the same data, whether a
server is running or not. They find a server that runs as the same user on the same machine, with its data folder and its
address, because it records them in \`~/.local/state/lectern/servers\` (or below \`XDG_STATE_HOME\`). Otherwise set
\`LECTERN_DATA_DIR\`, or \`LECTERN_MONGODB_URL\` and the file settings, to the values of the server. If there is no library, a
command says so and creates none. Only \`user create\` creates one, in the place that a variable names or in the folder of the
installation. A relative \`--file\` or \`--data-dir\` is relative to the current folder, even inside the folder of the installation.`
