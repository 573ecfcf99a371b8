import { readFileSync } from 'node:fs'

/** Clock ticks per second in `/proc`; 100 on every architecture that Node runs on. */
const ticksPerSecond = 100

/** The processor time of ended child processes of this process, in seconds; Linux only. */
export function endedChildrenCpu(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  // The name of the program, in parentheses, may contain spaces; 13 fields later come the children's user and system time.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number)
  return (user + system) / ticksPerSecond
}
