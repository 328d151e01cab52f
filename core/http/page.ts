import { createHash } from 'node:crypto'
import type { Answer } from './route.ts'
import { style } from './page-style.ts'

/** Text that is safe to stand in a page as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Inserted = string | number | Html | Html[] | undefined

/** A piece of a page; what is put in is escaped, unless it is a piece itself. Undefined leaves nothing. */
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

/** A whole page. It runs no script, loads nothing, and sends its forms to us alone. */
export function page(status: number, title: string, body: Html): Answer {
  return document(status, title, body)
}

/**
 * Sends the browser on to another site. A redirect would not do: where a form was posted, Chromium lets `form-action`
 * decide about every redirect that follows, also about those of the other site.
 */
export function leaveFor(url: string, name: string): Answer {
  return document(
    200,
    `On to ${name}`,
    html`<p><a href="${url}" rel="noreferrer">Continue to ${name}</a> if nothing happens by itself.</p>`,
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
