import { html } from 'hono/html'
import type { FormState } from '../form.ts'
import type { Html } from './html.ts'

interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'url'
  autocomplete: string
  hint?: string
  required?: boolean
  maxlength?: number
  /** Initial value, shown until the form has been submitted. */
  value?: string
  /** Another field with an error that is corrected from this one on: this one gets the focus and is described by the error. */
  correctsToo?: string
}

/** A labelled text field with its hint and error; keeps the submitted value except for passwords. */
export function field({ form, problem }: FormState, options: FieldOptions): Html {
  const {
    name,
    label,
    type = 'text',
    autocomplete,
    hint,
    required = true,
    maxlength,
    value = '',
    correctsToo,
  } = options
  const error = fieldError(problem, { name, label })
  const wrong = problem?.field === correctsToo ? correctsToo : error ? name : undefined
  const describedBy = [hint ? `${name}-hint` : '', wrong ? `${wrong}-problem` : ''].filter((id) => id !== '').join(' ')
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
      ${validity(error)}
      ${wrong && !error ? html`autofocus` : ''}
    />
  </div>`
}

/** The error of a field, which names the field by its label and not by its name in the API; null if it has none. */
function fieldError(problem: FormState['problem'], { name, label }: { name: string; label: string }): string | null {
  if (problem?.field !== name) return null
  const { message } = problem
  const [first = ''] = message.split(/[ :]/, 1)
  return first.toLowerCase() === name.toLowerCase() ? `${label}${message.slice(first.length)}` : message
}

/**
 * The attribute that says whether a submitted value was refused. Without it, screen readers call each required field that is
 * still empty invalid.
 */
function validity(error: string | null): Html {
  return error === null ? html`aria-invalid="false"` : html`aria-invalid="true" autofocus`
}

interface TextFieldOptions {
  name: string
  label: string
  hint?: string
  required?: boolean
  maxlength?: number
  value?: string
}

/** A labelled multi-line text field with its hint and error; keeps the submitted value. */
export function textField({ form, problem }: FormState, options: TextFieldOptions): Html {
  const { name, label, hint, required = true, maxlength, value = '' } = options
  const error = fieldError(problem, { name, label })
  const describedBy = [hint ? `${name}-hint` : '', error ? `${name}-problem` : ''].filter((id) => id !== '').join(' ')
  return html`<div class="field${error ? ' wrong' : ''}">
    <label for="${name}">${label}${required ? '' : html` <span>optional</span>`}</label>
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}
    ${error ? html`<p class="wrong-text" id="${name}-problem">${error}</p>` : ''}
    <textarea
      id="${name}"
      name="${name}"
      dir="auto"
      ${required ? html`required` : ''}
      ${maxlength ? html`maxlength="${maxlength}"` : ''}
      ${describedBy ? html`aria-describedby="${describedBy}"` : ''}
      ${validity(error)}
    >
${form?.get(name) ?? value}</textarea>
  </div>`
}

/** The two fields of a new password. */
export function newPasswordFields(state: FormState): Html {
  const hint = 'At least 8 characters. Four random words are easy to remember and hard to guess.'
  const password = { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password' } as const
  return html`${field(state, { ...password, hint, correctsToo: 'again' })}
  ${field(state, { name: 'again', label: 'Confirm new password', type: 'password', autocomplete: 'new-password' })}`
}

/** The checkbox of a new password for also ending API keys and connected apps; initially checked if `ticked`. */
export function revokeAccessField({ form }: FormState, { ticked }: { ticked: boolean }): Html {
  const isTicked = form ? form.get('revokeAccess') === 'on' : ticked
  return html`<label class="tick"
    ><input type="checkbox" name="revokeAccess" value="on" ${isTicked ? html`checked` : ''} /><span
      >Also revoke API keys and disconnect apps</span
    ></label
  >`
}

/** The optional field for the name of a new account. */
export function nameField(state: FormState, value = ''): Html {
  const name = { name: 'name', label: 'Your name', autocomplete: 'name', maxlength: 200 }
  return field(state, { ...name, required: false, value })
}

/** The way out of a limit of the plan. */
export const plansLink = html`<a href="/plans">See the plans</a>`

/** The error of the whole form. */
export function formProblem({ problem }: FormState): Html | '' {
  if (!problem || problem.field !== null) return ''
  return html`<p class="problem" role="alert">${problem.message} ${problem.concernsPlan ? plansLink : ''}</p>`
}

/** A hidden username that tells password managers which account the form is for. */
export function usernameField(email: string): Html {
  return html`<input type="text" name="username" autocomplete="username" value="${email}" readonly hidden />`
}

/** A hidden input of a form. */
export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** A read-only field to copy from; Tab or a triple click selects its value. */
export function copyField(label: string, value: string): Html {
  return html`<div class="field copy">
    <label for="copy">${label}</label>
    <input id="copy" type="text" readonly autocomplete="off" spellcheck="false" value="${value}" data-copy />
  </div>`
}
