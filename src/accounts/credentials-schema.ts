import { z } from 'zod'
import { escapeInvisible } from '../runtime/escape-invisible.ts'
import { limitMarks } from '../runtime/clean-name.ts'
import { NewPassword } from './password-hasher.ts'

/** An email address, trimmed and in lower case. */
export const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email('Enter an email address, such as you@example.com.').max(254, 'This address is too long.'))

/** The name of an account: one line of at most 200 visible characters; may be empty. */
export const AccountName = z
  .string()
  .trim()
  .max(200, { error: 'The name must have at most 200 characters.', abort: true })
  .refine(
    (name) => name.isWellFormed() && !/[\t\n\r]/.test(name) && escapeInvisible(name) === name,
    'The name must be one line, without control characters and other invisible characters.',
  )
  .transform(limitMarks)

/** Input of a sign-up. */
export const SignUpInput = z.object({ email: EmailAddress, name: AccountName.optional(), password: NewPassword })
export type SignUpInput = z.infer<typeof SignUpInput>

/** Input of an accepted invitation, whose address is already known. */
export const AcceptInvitationInput = SignUpInput.omit({ email: true })
export type AcceptInvitationInput = z.infer<typeof AcceptInvitationInput>

/** A checkbox: `on`, or absent from the form. */
const Ticked = z
  .string()
  .optional()
  .transform((value) => value === 'on')

/** Input of a reset; `revokeAccess` also ends API keys and connected apps. */
export const ResetPassword = z.object({ password: NewPassword, revokeAccess: Ticked })
export type ResetPassword = z.infer<typeof ResetPassword>

export const Credentials = z.object({
  email: EmailAddress,
  password: z.string().min(1, 'Enter your password.').max(1024, 'The password is too long.'),
})
export type Credentials = z.infer<typeof Credentials>

const CurrentPassword = z
  .string('Enter your current password.')
  .min(1, 'Enter your current password.')
  .max(1024, 'The password is too long.')

export const ChangePassword = z.object({
  current: CurrentPassword,
  password: NewPassword,
  revokeAccess: Ticked,
})
export type ChangePassword = z.infer<typeof ChangePassword>

/** A form that requires the current password. */
export const CurrentPasswordForm = z.object({ current: CurrentPassword })
export type CurrentPasswordForm = z.infer<typeof CurrentPasswordForm>

/** A form that asks for a mail to an address. */
export const EmailForm = z.object({ email: EmailAddress })
