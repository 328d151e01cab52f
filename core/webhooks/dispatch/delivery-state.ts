/** SQL: the webhook of a delivery (d) was deleted by a user. A webhook that was deleted with its project stays active. */
export const isWithdrawn = `
  EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id AND w.deleted_at IS NOT NULL AND NOT w.active)`

/** SQL for the status of a delivery (d) that will not be sent any more. */
export const cancelled = `CASE WHEN d.delivered_at IS NULL THEN 'cancelled' ELSE 'succeeded' END`

/** SQL for the state of a delivery (d) after a failed manual attempt: the state before the attempt. */
export const asBefore = {
  status: `CASE WHEN d.delivered_at IS NOT NULL THEN 'succeeded' WHEN d.resume_at IS NULL THEN 'failed'
                WHEN ${isWithdrawn} THEN 'cancelled' ELSE 'pending' END`,
  nextAttemptAt: `CASE WHEN NOT ${isWithdrawn} THEN d.resume_at END`,
  trigger: `CASE WHEN d.resume_at IS NOT NULL THEN 'scheduled'
                 WHEN d.delivered_at IS NULL THEN d.trigger
                 ELSE coalesce((SELECT a.trigger FROM webhook_attempts a
                                 WHERE a.delivery_id = d.id AND a.response_status BETWEEN 200 AND 299
                                 ORDER BY a.number DESC LIMIT 1), 'scheduled') END`,
}

/** SQL that cancels a pending delivery (d). */
export const cancel = `
  status = ${cancelled}, next_attempt_at = NULL, resume_at = NULL, trigger = ${asBefore.trigger}`

/** SQL for a column about the outcome of a delivery (d): once delivered, it keeps the values of the successful attempt. */
export const summary = (column: string, latest: string) =>
  `CASE WHEN d.delivered_at IS NULL THEN ${latest} ELSE d.${column} END`
