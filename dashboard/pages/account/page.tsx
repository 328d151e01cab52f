import { Page } from '../../parts/page.tsx'

export function AccountPage() {
  return <Page title="Account settings">{undefined}</Page>
}
