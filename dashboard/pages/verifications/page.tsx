import { Page } from '../../parts/page.tsx'

export function VerificationsPage() {
  return <Page title="Verifications">{undefined}</Page>
}
