import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Answer } from '../http/route.ts'
import { html } from '../http/page.ts'

const { resolve } = createRequire(import.meta.url)

/** The files that the page loads. The server serves no other file of the package. */
const files = {
  'swagger-ui.css': { path: resolve('swagger-ui-dist/swagger-ui.css'), type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': {
    path: resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  'start-reference.js': {
    path: new URL('start-reference.js', import.meta.url),
    type: 'text/javascript; charset=utf-8',
  },
}

const served = Object.entries(files).map(([name, { path, type }]) => {
  const body = readFileSync(path)
  // A changed file gets a new address, so that browsers can cache each one forever.
  const version = createHash('sha256').update(body).digest('hex').slice(0, 16)
  const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }
  return { name, path: `/docs/${version}/${name}`, answer: { status: 200, body, headers } satisfies Answer }
})

/** The files that the page loads, with their paths. */
export const referenceFiles: readonly { path: string; answer: Answer }[] = served

/** This page alone may run scripts. They can call only this origin, so that a credential entered here goes nowhere else. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

const pathOf = (name: keyof typeof files) => served.find((file) => file.name === name)?.path

/** Returns the API reference. A script renders it in the browser from the OpenAPI document. */
export function referencePage(): Answer {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>API – Assay</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${pathOf('swagger-ui.css')}" />
        <script src="${pathOf('swagger-ui-bundle.js')}" defer></script>
        <script src="${pathOf('start-reference.js')}" defer></script>
      </head>
      <body>
        <main id="reference"></main>
        <noscript
          >This page needs JavaScript. It shows the document at
          <a href="/api/openapi.json">/api/openapi.json</a>.</noscript
        >
      </body>
    </html>`
  return {
    status: 200,
    body: text,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  }
}
