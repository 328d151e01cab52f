import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'

/** The page for an address that leads nowhere. */
export function Missing() {
  return (
    <Page title="Page not found">
      <p>
        This page does not exist. Check the address, or go to <Link to="/">your projects</Link>.
      </p>
    </Page>
  )
}
