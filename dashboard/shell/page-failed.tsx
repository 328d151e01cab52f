import { Problem } from '../parts/loaded.tsx'
import { Page } from '../parts/page.tsx'

/** In place of a page whose code could not be loaded, or that failed. */
export function PageFailed({ error }: { error: unknown }) {
  return (
    <Page title="The page failed">
      <Problem error={error} retry={() => location.reload()} />
    </Page>
  )
}
