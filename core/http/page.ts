import { createHash } from 'node:crypto'
import type { Answer } from './route.ts'
import { style } from './page-style.ts'

/** Escaped text that can be inserted into a page. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Inserted = string | number | Html | Html[] | undefined

/** Builds a part of a page. Escapes inserted values unless they are `Html`; undefined inserts nothing. */
export function html(parts: TemplateStringsArray, ...inserted: Inserted[]): Html {
  return new Html(parts.map((part, index) => part + render(inserted[index])).join(''))
}

function render(value: Inserted): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map(render).join('')
  if (value instanceof Html) return value.text
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

const styleElement = new Html(`<style>${style}</style>`)
const styleHash = createHash('sha256').update(style).digest('base64')

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
}

/** Builds a page that runs no script, loads nothing, and submits its forms only to this server. */
export function page(status: number, title: string, body: Html): Answer {
  return document(status, title, body)
}

/** Builds a page that says what went wrong, with the way back. */
export const problemPage = (status: number, title: string, text: string): Answer =>
  page(
    status,
    title,
    html`<p>${text}</p>
      <p><a href="/">Go to the start page</a></p>`,
  )

/**
 * Sends the browser to another site. A redirect does not work after a form post: Chromium applies `form-action` to every
 * redirect that follows, including those of the other site.
 */
export function leaveFor(url: string, name: string): Answer {
  return document(
    200,
    `Redirecting to ${name}`,
    html`<p><a href="${url}" rel="noreferrer">Continue to ${name}</a> if you are not redirected.</p>`,
    html`<meta http-equiv="refresh" content="0; url=${url}" />`,
  )
}

export const redirect = (location: string): Answer => ({ status: 303, headers: { Location: location } })

function document(status: number, title: string, body: Html, head?: Html): Answer {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${head}
        <title>${title} – Assay</title>
        ${styleElement}
      </head>
      <body>
        <header>Assay</header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`
  return { status, body: text, headers }
}
