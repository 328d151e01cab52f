import type { Config } from '../config.ts'
import type { AppError } from '../base/errors.ts'
import { type Html, html } from '../http/page.ts'

interface Field {
  name: string
  label: string
  type: 'email' | 'password' | 'text'
  /** How browsers and password managers know what belongs there. */
  autocomplete: 'email' | 'username' | 'current-password' | 'new-password' | 'name'
  value?: string | undefined
  hint?: string | undefined
  minLength?: number
}

/** A labelled input that must be filled in. */
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

/** What a form carries along unseen. */
export function hidden(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}" />`
}

/** A form that is one button. */
export function button(path: string, label: string, { describe }: { describe?: string } = {}, carried?: Html): Html {
  return html`<form method="post" action="${path}">
    ${carried}
    <button class="plain" ${describe === undefined ? undefined : html`aria-label="${label}: ${describe}"`}>
      ${label}
    </button>
  </form>`
}

/** What went wrong, said first, also to a screen reader. */
export function problem(message: string | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="problem" role="alert">${message}</p>`
}

/** Good news or a plain fact. */
export function note(message: string | Html | undefined): Html | undefined {
  return message === undefined ? undefined : html`<p class="note" role="status">${message}</p>`
}

/** The sentence for a code in a page's query; the code itself is never shown, since anybody can write one there. */
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

/** An error in words for the person at a form, which calls its fields otherwise than programs do. */
export function wordsFor(error: AppError): string {
  const [, name = '', rest] = /^(\w+): (.+)$/s.exec(error.message) ?? []
  return rest === undefined || !labels[name] ? error.message : `${labels[name]}: ${rest}`
}

/** Where to look, where no mail goes out. */
export function whereMailIs({ mail, local }: Config): Html | undefined {
  if (mail.smtpUrl !== undefined) return undefined
  return html`<p>
    No mail server is set up here (<code>SMTP_URL</code>): the message is in
    ${local ? html`<code>logs/core.log</code> in Assay's data folder (<code>.data</code>)` : "core's log"}.
  </p>`
}
