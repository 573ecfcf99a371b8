// Prints how many tests of a report passed, failed and were skipped; on stderr, those that passed only after a retry,
// and why.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
for (const { name, assertionResults } of report.testResults) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status !== 'passed' || failureMessages.length === 0) continue
    process.stderr.write(`PASSED ON A LATER TRY: ${name} ${fullName}\n${failureMessages[0]}\n`)
  }
}
process.stdout.write(
  `${report.numPassedTests} ${report.numFailedTests} ${report.numPendingTests + report.numTodoTests}\n`,
)
