/** Returns the minutes since midnight of a time such as `08:30`. */
export function minutesOf(time) {
  const match = /^(\d\d):(\d\d)$/.exec(time)
  if (!match) throw new Error(`${time} is no time`)
  const [, hours, minutes] = match
  return Number(hours) * 60 + Number(minutes)
}

/** Whether the shop is open; it closes at the minute of its closing time. */
export function isOpen({ opens, closes }, time) {
  const now = minutesOf(time)
  return now >= minutesOf(opens) && now <= minutesOf(closes)
}

/** How long the shop is open in a week, in hours. */
export function weeklyHours(days) {
  let minutes = 0
  for (const { opens, closes } of days) {
    minutes += minutesOf(closes) - minutesOf(opens)
  }
  return minutes / 60
}
