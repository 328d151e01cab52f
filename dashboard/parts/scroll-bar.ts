import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the ref of a bar of links with the class `scroll-bar`. After a change of page, it scrolls the link of the
 * page to the middle of the bar. The page itself does not scroll.
 */
export function useActiveInView<Element extends HTMLElement>(): RefObject<Element | null> {
  const bar = useRef<Element>(null)
  const href = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.href })
  useEffect(() => {
    const active = bar.current?.querySelector('.active')
    if (!bar.current || !active) return
    const frame = bar.current.getBoundingClientRect()
    const link = active.getBoundingClientRect()
    bar.current.scrollLeft += link.left - frame.left - (frame.width - link.width) / 2
  }, [href])
  return bar
}
