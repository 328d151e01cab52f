import { Page } from '../../parts/page.tsx'

export function OrganizationsPage() {
  return <Page title="Organizations">{undefined}</Page>
}
