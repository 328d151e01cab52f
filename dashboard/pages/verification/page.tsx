import { Page } from '../../parts/page.tsx'

export function VerificationPage() {
  return <Page title="Verification">{undefined}</Page>
}
