import { tools } from '../../tools/index.ts'
import { hintTable, buildSubmission } from './build-submission.ts'

const asTable = process.argv.includes('--table')
process.stdout.write(`${asTable ? hintTable(tools) : JSON.stringify(buildSubmission(tools), null, 2)}\n`)
