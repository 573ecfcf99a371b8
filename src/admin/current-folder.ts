/** Where the command was typed: npm changes to the folder of the installation and names the other in a variable. */
export function currentFolder(): string {
  const { npm_lifecycle_event: script = '', INIT_CWD: typedIn } = process.env
  return ['lectern', 'start'].includes(script) && typedIn ? typedIn : process.cwd()
}
