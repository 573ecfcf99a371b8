import { z } from 'zod'
import { issueLink } from '../../accounts/issue-link.ts'
import { AppError } from '../../core/errors.ts'
import { defineCommand } from './command.ts'

export const setupLink = defineCommand({
  name: 'setup-link',
  usage: '',
  summary:
    'Print the link for the first account again. It opens a page that creates the account, and works once, within 7 days.',
  options: z.strictObject({}),
  async run({ services }) {
    if (await services.accounts.hasAny()) {
      const message =
        'The first account exists already. To create another one: lectern user create --email E. To set a new password: lectern user reset --email E.'
      throw new AppError('CONFLICT', message)
    }
    const { url, expiresAt } = await issueLink(services, 'claim', null)
    return { json: { url, expiresAt: expiresAt.toISOString() }, text: url, remarks: ['It works once, within 7 days.'] }
  },
})
