import { tools } from '../../tools/index.ts'
import { hintTable, submissionOf } from './build-submission.ts'

const asTable = process.argv.includes('--table')
process.stdout.write(`${asTable ? hintTable(tools) : JSON.stringify(submissionOf(tools), null, 2)}\n`)
