import { Page } from '../../parts/page.tsx'

export function ChangePage() {
  return <Page title="Change">{undefined}</Page>
}
