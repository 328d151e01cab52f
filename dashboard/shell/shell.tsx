import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useActiveInView } from '../parts/scroll-bar.ts'
import { Connection } from './connection.tsx'
import { NoticeList } from './notice-list.tsx'
import { useKeys } from './keys.ts'
import { UserMenu } from './user-menu.tsx'
import { whenReachable } from '../when-reachable.ts'

const loadPalette = whenReachable(async () => ({ default: (await import('./palette.tsx')).Palette }))
const Palette = lazy(loadPalette)

/** The first page is shown before the code of the palette is loaded, and the user can type as soon as it opens. */
const paletteDelayMs = 500

/** The frame of every page: the bar at the top, the content, notices and dialogs. */
export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const router = useRouter()
  useKeys({
    'mod+k': () => setPaletteOpen(true),
    '/': () => setPaletteOpen(true),
    'g h': () => void router.navigate({ to: '/' }),
    'g s': () => void router.navigate({ to: '/system' }),
    'g o': () => void router.navigate({ to: '/organizations' }),
  })
  const links = useActiveInView<HTMLElement>()
  useFocusOnNavigation()
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), paletteDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Assay
        </Link>
        <nav ref={links} className="bar-links scroll-bar" aria-label="Assay">
          <Link to="/" activeOptions={{ exact: true }} className="to-projects">
            Projects
          </Link>
          <Link to="/organizations">Organizations</Link>
          <Link to="/system">System</Link>
        </nav>
        <button type="button" className="plain open-search" aria-label="Search" onClick={() => setPaletteOpen(true)}>
          <Icon name="search" />
          <span>Search</span>
          <kbd aria-hidden="true">/</kbd>
        </button>
        <UserMenu />
      </header>
      <Connection />
      <main id="content">
        <Outlet />
      </main>
      <NoticeList />
      {isPaletteOpen ? (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      ) : undefined}
    </>
  )
}

/** After a change of page, the heading gets the focus, so that screen readers read it and Tab continues there. */
function useFocusOnNavigation(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const [first] = useState(path)
  useEffect(() => {
    if (path === undefined || path === first) return
    document.getElementById('page-title')?.focus({ preventScroll: true })
  }, [path, first])
}
