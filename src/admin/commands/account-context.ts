import type { PlanServices } from '../../accounts/plans.ts'
import { createUnstoredAccount } from '../../accounts/unstored-account.ts'
import { createContextOf } from '../../app/account-context.ts'
import type { Context } from '../../app/context.ts'
import type { Account } from '../../core/account.ts'
import { systemOwner } from '../../books/book.ts'
import { byCommand, type AdminContext } from './command.ts'
import type { Clock } from '../../core/context.ts'

/** Creates a call context for the command line to act as an account, with its permissions and limits. */
export function createAccountContext(admin: Pick<AdminContext, 'services' | 'log'>, account: Account): Context {
  return createContextOf(admin, account, { id: 'command-line', clientAddress: byCommand.clientAddress })
}

/** The owner of the built-in books, which is not stored and has no slots. */
export function systemAccount(ctx: Clock & PlanServices): Account {
  return createUnstoredAccount(ctx, { id: systemOwner, name: 'Lectern' })
}
