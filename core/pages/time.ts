import { type Html, html } from '../http/page.ts'

/** Renders a time in UTC, because the page has no script that could find out the reader's time zone. */
export function moment(isoTime: string): Html {
  return html`<time datetime="${isoTime}">${isoTime.slice(0, 16).replace('T', ' ')} UTC</time>`
}
