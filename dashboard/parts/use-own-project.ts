import { useParams, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Corrects an address that names another project than that of its record, such as one that was put together by hand. */
export function useOwnProject(projectId: string | undefined): void {
  const { projectId: named } = useParams({ strict: false })
  const router = useRouter()
  useEffect(() => {
    if (projectId === undefined || projectId === named) return
    const { pathname, searchStr, hash } = router.state.location
    const own = pathname.replace(`/projects/${named}/`, `/projects/${projectId}/`)
    void router.navigate({ href: `${own}${searchStr}${hash && `#${hash}`}`, replace: true })
  }, [projectId, named, router])
}
