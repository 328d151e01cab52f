import type { Answer } from '../routes.ts'

/** Text that is safe to stand in a page as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Inserted = string | number | Html | Html[]

/** A piece of a page; what is put in is escaped, unless it is a piece itself. */
export function html(parts: TemplateStringsArray, ...inserted: Inserted[]): Html {
  return new Html(parts.map((part, index) => part + render(inserted[index] ?? '')).join(''))
}

function render(value: Inserted): string {
  if (Array.isArray(value)) return value.map(render).join('')
  if (value instanceof Html) return value.text
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

/** A whole page. It runs no script, loads nothing, and sends its forms to us alone. */
export function page(status: number, title: string, body: Html): Answer {
  const document = html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title} – Assay</title>
      <style>
        body {
          font:
            16px/1.5 system-ui,
            sans-serif;
          max-width: 36rem;
          margin: 4rem auto;
          padding: 0 1rem;
          color-scheme: light dark;
        }
        code {
          overflow-wrap: anywhere;
        }
        label,
        input,
        button {
          display: block;
          font: inherit;
        }
        input {
          width: 100%;
          box-sizing: border-box;
          margin: 0.25rem 0 1rem;
          padding: 0.5rem;
        }
        button {
          padding: 0.5rem 1rem;
          margin: 0.5rem 0;
          cursor: pointer;
        }
      </style>
      <h1>${title}</h1>
      ${body}
    </html>`
  return {
    status,
    body: document.text,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    },
  }
}
