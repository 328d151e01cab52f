import { Page } from '../../parts/page.tsx'

export function TestPage() {
  return <Page title="Test">{undefined}</Page>
}
