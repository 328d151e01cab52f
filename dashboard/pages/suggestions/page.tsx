import { Page } from '../../parts/page.tsx'

export function SuggestionsPage() {
  return <Page title="What to test">{undefined}</Page>
}
