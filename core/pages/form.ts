import type { Config } from '../config.ts'
import type { AppError } from '../base/errors.ts'
import { type Html, html } from '../http/page.ts'

interface Field {
  name: string
  label: string
  type: 'email' | 'password' | 'text'
  /** Tells browsers and password managers what to fill in. */
  autocomplete: 'email' | 'username' | 'current-password' | 'new-password' | 'name'
  value?: string | undefined
  hint?: string | undefined
  minLength?: number
}

/** Renders a required input with a label. */
export function field({ name, label, type, autocomplete, value, hint, minLength }: Field): Html {
  return html`<label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      required
      ${value === undefined || type === 'password' ? undefined : html`value="${value}"`}
      ${minLength === undefined ? undefined : html`minlength="${minLength}"`}
      ${hint === undefined ? undefined : html`aria-describedby="${name}-hint"`}
    />
    ${hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`}`
}

/** Renders a hidden input; nothing without a value. */
export function hidden(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}" />`
}

/** Renders a form that consists of one button. */
export function button(path: string, label: string, { describe }: { describe?: string } = {}, carried?: Html): Html {
  return html`<form method="post" action="${path}">
    ${carried}
    <button class="plain" ${describe === undefined ? undefined : html`aria-label="${label}: ${describe}"`}>
      ${label}
    </button>
  </form>`
}

/** Renders an error, which screen readers announce at once. */
export function problem(message: string | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="problem" role="alert">${message}</p>`
}

/** Renders a success message or a fact. */
export function note(message: string | Html | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="note" role="status">${message}</p>`
}

/** Returns the sentence for a code in a page's query. Links can contain any code, so the code itself is never shown. */
export function sentenceFor(sentences: Readonly<Record<string, string>>, code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(sentences, code) ? sentences[code] : undefined
}

const labels: Record<string, string> = {
  name: 'Name',
  email: 'E-mail address',
  password: 'Password',
  currentPassword: 'Current password',
  newPassword: 'New password',
}

/** Returns the message of an error with the label of the field instead of its name. */
export function wordsFor(error: AppError): string {
  const [, name = '', rest] = /^(\w+): (.+)$/s.exec(error.message) ?? []
  return rest === undefined || !labels[name] ? error.message : `${labels[name]}: ${rest}`
}

/** Says where to find a message if no mail server is configured. */
export function whereMailIs({ mail, local }: Config): Html | undefined {
  if (mail.smtpUrl !== undefined) return undefined
  return html`<p>
    No mail server is configured (<code>SMTP_URL</code>). The message is in
    ${local ? html`<code>logs/core.log</code> in the data folder of Assay (<code>.data</code>)` : 'the log of the server'}.
  </p>`
}
