import { Page } from '../../parts/page.tsx'

export function ProjectSettingsPage() {
  return <Page title="Project settings">{undefined}</Page>
}
