/**
 * The folder in which the command was typed. npm changes to the installation folder and passes the original one in a
 * variable.
 */
export function currentFolder(): string {
  const { npm_lifecycle_event: script = '', INIT_CWD: typedIn } = process.env
  return ['lectern', 'start'].includes(script) && typedIn ? typedIn : process.cwd()
}
