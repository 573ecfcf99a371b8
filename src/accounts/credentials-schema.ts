import { z } from 'zod'
import { NewPassword } from './password-hasher.ts'

/** An e-mail address as people type it, in lower case. */
export const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email('Enter an e-mail address, such as you@example.com.').max(254, 'This address is too long.'))

const PersonName = z.string().trim().max(200, 'The name must have at most 200 characters.').optional()

/** What somebody gives for an own account. */
export const NewPerson = z.object({ email: EmailAddress, name: PersonName, password: NewPassword })
export type NewPerson = z.infer<typeof NewPerson>

/** What somebody gives who was invited: the address is known. */
export const InvitedPerson = NewPerson.omit({ email: true })
export type InvitedPerson = z.infer<typeof InvitedPerson>

export const ResetPassword = z.object({ password: NewPassword })

export const Credentials = z.object({
  email: EmailAddress,
  password: z.string().min(1, 'Enter your password.').max(1024, 'The password is too long.'),
})
export type Credentials = z.infer<typeof Credentials>

const PresentPassword = z.string().min(1, 'Enter your present password.').max(1024, 'The password is too long.')

export const ChangePassword = z.object({
  current: PresentPassword,
  password: NewPassword,
})
export type ChangePassword = z.infer<typeof ChangePassword>

export const CloseAccount = z.object({ current: PresentPassword })
export type CloseAccount = z.infer<typeof CloseAccount>

export const RequestReset = z.object({ email: EmailAddress })
