import type { Page } from 'playwright-core'

const maxStops = 120

/** What can be clicked and is visible, without the other choices of a radio group, which arrow keys reach. */
const interactive = `
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  const stops = all.filter((element) =>
    isSeen(element) && !element.disabled && element.tabIndex >= 0 && !element.closest('[inert]') &&
    !(element.type === 'radio' && !element.checked && element.form !== undefined))
  const nameOf = (element) => element.outerHTML.slice(0, 140)`

/** Presses Tab until the end of the page, and returns what was not reached, and what does not show that it has the focus. */
export async function keyboardProblems(tab: Page): Promise<string[]> {
  // An open dialog keeps the focus, as it should.
  if ((await tab.locator('dialog[open]').count()) > 0) return []
  const count = await tab.evaluate<number>(`(() => {
    ${interactive}
    window.keyboardStops = new Set(stops.slice(0, ${maxStops}))
    window.keyboardReached = new Set()
    document.activeElement?.blur()
    window.getSelection()?.removeAllRanges()
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
    // The parts of a date are stops of their own.
    return window.keyboardStops.size + 4 * stops.filter(({ type }) => type === 'date').length
  })()`)
  const hidden = new Set<string>()
  for (let pressed = 0; pressed < count + 5; pressed++) {
    await tab.keyboard.press('Tab')
    const problem = await tab.evaluate<string | null>(`(() => {
      const element = document.activeElement
      window.keyboardReached.add(element)
      if (element === document.body) return null
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
      const isShown = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
      return isShown ? null : 'The focus is not visible: ' + element.outerHTML.slice(0, 140)
    })()`)
    if (problem !== null) hidden.add(problem)
  }
  const missed = await tab.evaluate<string[]>(`[...window.keyboardStops]
    .filter((element) => element.isConnected && !window.keyboardReached.has(element))
    .map((element) => 'Tab does not reach: ' + element.outerHTML.slice(0, 140))`)
  return [...missed, ...hidden]
}
