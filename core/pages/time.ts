import { type Html, html } from '../http/page.ts'

/** A moment in words that mean the same everywhere: without a script nobody knows where the reader is. */
export function moment(isoTime: string): Html {
  return html`<time datetime="${isoTime}">${isoTime.slice(0, 16).replace('T', ' ')} UTC</time>`
}
