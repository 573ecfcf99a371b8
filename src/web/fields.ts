import { html } from 'hono/html'
import type { FormState } from './form.ts'
import type { Html } from './layout.ts'

interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  autocomplete: string
  hint?: string
  required?: boolean
  maxlength?: number
  /** Shown where nothing was typed yet. */
  value?: string
}

/** A labelled text field with its hint and what is wrong with it; keeps what was typed, but no passwords. */
export function field({ form, problem }: FormState, options: FieldOptions): Html {
  const { name, label, type = 'text', autocomplete, hint, required = true, maxlength, value = '' } = options
  const error = problem?.field === name ? problem.message : null
  const describedBy = [hint ? `${name}-hint` : '', error ? `${name}-problem` : ''].filter((id) => id !== '').join(' ')
  const currentValue = type === 'password' ? '' : (form?.get(name) ?? value)
  const spellingAttributes = type === 'text' ? '' : html`autocapitalize="none" spellcheck="false"`
  return html`<div class="field${error ? ' wrong' : ''}">
    <label for="${name}">${label}${required ? '' : html` <span>optional</span>`}</label>
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}
    ${error ? html`<p class="wrong-text" id="${name}-problem">${error}</p>` : ''}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${currentValue}"
      autocomplete="${autocomplete}"
      ${spellingAttributes}
      ${required ? html`required` : ''}
      ${maxlength ? html`maxlength="${maxlength}"` : ''}
      ${describedBy ? html`aria-describedby="${describedBy}"` : ''}
      ${error ? html`aria-invalid="true" autofocus` : ''}
    />
  </div>`
}

/** The two fields of a new password. */
export function newPasswordFields(state: FormState): Html {
  const hint = 'At least 8 characters. Four words of your own are easy to remember and hard to guess.'
  return html`${field(state, { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint })}
  ${field(state, { name: 'again', label: 'The same password again', type: 'password', autocomplete: 'new-password' })}`
}

/** What is wrong with a form as a whole. */
export function formProblem({ problem }: FormState): Html | '' {
  if (!problem || problem.field !== null) return ''
  return html`<p class="problem" role="alert">${problem.message}</p>`
}

/** Tells password managers, unseen, whose password a form is about. */
export function usernameField(email: string): Html {
  return html`<input type="text" name="username" autocomplete="username" value="${email}" readonly hidden />`
}

/** A value that its form sends along unseen. */
export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** Something to be copied once: the field is selected by a tab into it, or by a triple click. */
export function copyField(label: string, value: string): Html {
  return html`<div class="field copy">
    <label for="copy">${label}</label>
    <input id="copy" type="text" readonly autocomplete="off" spellcheck="false" value="${value}" />
  </div>`
}
