/** Returns the session cookie that a browser sends after this response: the new one, or else the previous one. */
export function nextCookie(response: Response, cookie: string): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
}

/** Simulates network latency: usually short, and sometimes the maximum. */
function latency(maxMs: number): Promise<void> {
  const slow = Math.random() < 0.05
  return new Promise((resolve) => setTimeout(resolve, slow ? maxMs : (Math.random() * maxMs) / 8))
}

export interface Storm {
  /** Servers on one database. Each request goes to a random one. */
  urls: string[]
  /** The initial cookie. */
  cookie: string
  tabs: number
  requests: number
  maxLatencyMs: number
}

/**
 * Simulates a browser whose tabs send concurrent requests with a shared cookie jar. A request uses the cookie from the
 * time when it was sent. Responses arrive late and out of order.
 */
export async function browse({ urls, cookie, tabs, requests, maxLatencyMs }: Storm) {
  const statuses = new Map<number, number>()
  let handedOut = 0
  let jar = cookie
  const tab = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      const carried = jar
      await latency(maxLatencyMs)
      const url = urls[Math.floor(Math.random() * urls.length)] ?? ''
      const response = await fetch(`${url}/api/auth/get-session`, { headers: { cookie: carried } })
      await response.arrayBuffer()
      await latency(maxLatencyMs)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.headers.getSetCookie().length > 0) handedOut++
      jar = nextCookie(response, jar)
    }
  }
  await Promise.all(Array.from({ length: tabs }, () => tab(requests / tabs)))
  return { statuses: Object.fromEntries(statuses), handedOut }
}
