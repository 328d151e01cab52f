/** What a browser sends next after this answer: the session cookie that it was given, else the one that it had. */
export function nextCookie(response: Response, cookie: string): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
}

/** Waits for up to so many milliseconds; now and then, as networks do, for the whole of it. */
function latency(longest: number): Promise<void> {
  const slow = Math.random() < 0.05
  return new Promise((resolve) => setTimeout(resolve, slow ? longest : (Math.random() * longest) / 8))
}

export interface Storm {
  /** Applications on one database; each request goes to a random one. */
  urls: string[]
  /** What the browser begins with. */
  cookie: string
  tabs: number
  requests: number
  longestLatencyMs: number
}

/**
 * One browser whose tabs send requests at the same time: all of them share a jar, whose latest cookie a request carries
 * from the moment when it begins, however long it takes to arrive. Answers arrive late and out of order, too.
 */
export async function browse({ urls, cookie, tabs, requests, longestLatencyMs }: Storm) {
  const statuses = new Map<number, number>()
  let handedOut = 0
  let jar = cookie
  const tab = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      const carried = jar
      await latency(longestLatencyMs)
      const url = urls[Math.floor(Math.random() * urls.length)] ?? ''
      const response = await fetch(`${url}/api/auth/get-session`, { headers: { cookie: carried } })
      await response.arrayBuffer()
      await latency(longestLatencyMs)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.headers.getSetCookie().length > 0) handedOut++
      jar = nextCookie(response, jar)
    }
  }
  await Promise.all(Array.from({ length: tabs }, () => tab(requests / tabs)))
  return { statuses: Object.fromEntries(statuses), handedOut }
}
