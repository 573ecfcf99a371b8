import { inputRequired } from '@modelcontextprotocol/server'
import { requestInput, elicitFields } from './input-fixtures.ts'
import { defineInteractiveFixture } from './define-fixture.ts'

const options = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
]
const plain = ['option1', 'option2', 'option3']

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
}

const enums = {
  untitledSingle: { type: 'string', enum: plain },
  titledSingle: { type: 'string', oneOf: options },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
  titledMulti: { type: 'array', items: { anyOf: options } },
}

const describeAnswer = (answers: Record<string, unknown>) =>
  `Elicitation completed: ${JSON.stringify(answers['answer'])}`

/** The tools of the suite that send requests to the client during a call, as in revisions before 2026-07-28. */
export const legacyFixtures = [
  defineInteractiveFixture({ name: 'test_sampling', description: 'Asks a model.', args: ['prompt'] }, (exchange) =>
    requestInput(
      exchange,
      {
        answer: inputRequired.createMessage({
          messages: [{ role: 'user', content: { type: 'text', text: 'Test prompt for sampling' } }],
          maxTokens: 100,
        }),
      },
      ({ answer }) => `LLM response: ${JSON.stringify(answer)}`,
    ),
  ),
  defineInteractiveFixture({ name: 'test_elicitation', description: 'Asks the user.', args: ['message'] }, (exchange) =>
    requestInput(
      exchange,
      {
        answer: elicitFields(
          'Please provide your information',
          {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          ['username', 'email'],
        ),
      },
      ({ answer }) => `User response: ${JSON.stringify(answer)}`,
    ),
  ),
  defineInteractiveFixture(
    { name: 'test_elicitation_sep1034_defaults', description: 'Asks with defaults.' },
    (exchange) => requestInput(exchange, { answer: elicitFields('Please review', defaults) }, describeAnswer),
  ),
  defineInteractiveFixture({ name: 'test_elicitation_sep1330_enums', description: 'Asks with choices.' }, (exchange) =>
    requestInput(exchange, { answer: elicitFields('Please choose', enums) }, describeAnswer),
  ),
]
