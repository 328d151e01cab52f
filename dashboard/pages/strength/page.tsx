import { Page } from '../../parts/page.tsx'

export function StrengthPage() {
  return <Page title="Strength of the tests">{undefined}</Page>
}
