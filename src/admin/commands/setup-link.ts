import { z } from 'zod'
import { issueLink } from '../../accounts/issue-link.ts'
import { AppError } from '../../core/errors.ts'
import { defineCommand } from './command.ts'

export const setupLink = defineCommand({
  name: 'setup-link',
  usage: '',
  summary:
    'Print the link of the first start again, with which the first account is made in a browser. It works once and for 7 days.',
  options: z.strictObject({}),
  async run({ services }) {
    if (await services.accounts.hasAny()) {
      const message =
        'There is an account already. For another one: lectern user create --email E. For a new password: lectern user reset --email E.'
      throw new AppError('CONFLICT', message)
    }
    const { url, expiresAt } = await issueLink(services, 'claim', null)
    return { json: { url, expiresAt: expiresAt.toISOString() }, text: url, remarks: ['It works once and for 7 days.'] }
  },
})
