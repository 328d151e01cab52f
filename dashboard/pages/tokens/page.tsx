import { Page } from '../../parts/page.tsx'

export function TokensPage() {
  return <Page title="Tokens">{undefined}</Page>
}
