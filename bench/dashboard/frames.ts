import type { Page } from 'playwright-core'

export interface Frames {
  perSecond: number
  /** The time between two frames in milliseconds. */
  p50: number
  p95: number
  /** Percent of the frames that came later. */
  over17: number
  over33: number
}

const seconds = 5
const pixelsPerFrame = 120
/** Chromium reports times in steps, so a frame that is on time can look 0.1 ms late. */
const tolerance = 0.3

/** Scrolls an element for some seconds, a little with each frame, and measures the frames. */
export async function framesOf(tab: Page, selector: string): Promise<Frames> {
  const times = await tab.evaluate<number[]>(`new Promise((done) => {
    const frame = document.querySelector('${selector}')
    const times = []
    const step = (time) => {
      times.push(time)
      frame.scrollTop += ${pixelsPerFrame}
      if (time - times[0] < ${seconds * 1_000}) requestAnimationFrame(step)
      else done(times)
    }
    requestAnimationFrame(step)
  })`)
  const deltas = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  const sorted = deltas.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  const over = (limit: number) => (deltas.filter((delta) => delta > limit + tolerance).length / deltas.length) * 100
  const total = deltas.reduce((sum, delta) => sum + delta, 0)
  return {
    perSecond: (deltas.length / total) * 1_000,
    p50: at(0.5),
    p95: at(0.95),
    over17: over(1_000 / 60),
    over33: over(1_000 / 30),
  }
}
